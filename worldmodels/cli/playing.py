"""The commands that play: play, enjoy, and replay, which verifies a recording."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from worldmodels.core.errors import UserError

if TYPE_CHECKING:
    from worldmodels.player.session.options import PlayOptions


def add_play(commands: argparse._SubParsersAction) -> None:
    """Add the command that opens the player."""
    command = commands.add_parser("play", help="play in a learned world beside the real one, or in a game alone")
    command.add_argument("paths", nargs="*", metavar="RUN", help="a run's folder; of two, both models play")
    command.add_argument("--game", metavar="NAME", help="play this real game, or Gymnasium environment, alone")
    command.add_argument(
        "--option", nargs="+", default=[], metavar="NAME=VALUE", help="of --game, for example distribution_mode=hard"
    )
    command.add_argument("--alone", default="", metavar="WORLD", help="of a run: model, or real")
    command.add_argument(
        "--start", default="recorded", help="of a model alone: recorded (in the run's experience), or game"
    )
    _add_levels(command)
    command.add_argument("--view", default="people", help="of --game: people (512 pixels) or agent (64 pixels)")
    command.add_argument("--policy", action="store_true", help="the policy plays until a key takes over")
    command.add_argument("--keys", metavar="FILE", help="give keys other meanings, by a YAML file")
    command.add_argument("--key-script", metavar="FILE", help="a script of key events")
    command.add_argument("--headless", action="store_true", help="without a window; needs --video")
    command.add_argument("--web", action="store_true", help="in a browser: prints the link to open")
    command.add_argument("--host", default="127.0.0.1", help="of --web: where to be found (default: %(default)s)")
    command.add_argument("--port", type=int, default=8765, help="of --web; 0 takes a free one (default: %(default)s)")
    command.add_argument("--steps", type=int, dest="ticks", help="stop after so many steps")
    command.add_argument("--record", metavar="FILE", help="write what was done, to be played again")
    command.add_argument("--script", metavar="FILE", help="let what was recorded play")
    command.add_argument("--pictures", default="pictures", help="where F2 saves pictures (default: %(default)s)")
    _add_picture_options(command, video_required=False)
    command.set_defaults(run=_play)


def _play(options: argparse.Namespace) -> None:
    from worldmodels.player.app import play_game, play_runs

    if bool(options.paths) == bool(options.game):
        raise UserError("Say what to play: the folder of a run (or two), or --game NAME.")
    if options.game is not None and options.levels != "train":
        raise UserError("A game alone has no test levels: --levels is for runs, and --option start_level=N for games.")
    if options.game is None:
        play_runs(options.paths, _play_options(options))
        return
    from worldmodels.core.configuration.sections import load_config
    from worldmodels.envs.config import DEFAULTS, FOREIGN, WITHOUT_EFFECT, EnvConfig, changed, game_options
    from worldmodels.envs.making import is_native

    settings = load_config(EnvConfig, [], [*options.option, f"game={options.game}"])
    keys = {*FOREIGN, *DEFAULTS} - {*WITHOUT_EFFECT}
    own = {key: getattr(settings, key) for key in changed(settings, keys)}
    play_game(options.game, _play_options(options), game_options(settings) if is_native(settings) else own)


def add_replay(commands: argparse._SubParsersAction) -> None:
    """Add the command that verifies a recording."""
    command = commands.add_parser(
        "replay",
        help="play a recording again, and verify it",
        description="Play what was recorded with 'play --record', and compare every frame of which a hash was kept.",
    )
    command.add_argument("file", metavar="FILE", help="a recording of actions")
    command.set_defaults(run=_replay)


def _replay(options: argparse.Namespace) -> None:
    from worldmodels.recordings.action_recording import read_recording
    from worldmodels.recordings.action_replay import verify_recording

    played = read_recording(options.file)
    verify_recording(played, options.file)
    print(f"{len(played.episodes)} episodes, {played.steps} steps of {played.game}: all agree.")


def add_enjoy(commands: argparse._SubParsersAction) -> None:
    """Add the command that films a policy."""
    command = commands.add_parser("enjoy", help="film a run's policy: model, real game and difference side by side")
    command.add_argument("path", metavar="RUN", help="the run's folder")
    command.add_argument(
        "--steps", type=int, default=450, dest="ticks", help="length of the film (default: %(default)s)"
    )
    _add_levels(command)
    _add_picture_options(command, video_required=True)
    command.set_defaults(run=_enjoy, headless=True, policy=True)


def _enjoy(options: argparse.Namespace) -> None:
    from worldmodels.player.app import play_runs

    play_runs([options.path], _play_options(options))


def add_test(commands: argparse._SubParsersAction) -> None:
    """Add the command that lets a policy play in its environment alone."""
    command = commands.add_parser(
        "test",
        help="let a run's policy play in its environment: print returns, show it in a window or film it",
        description="Let the policy of a run play whole episodes in its environment, and print what each paid.",
    )
    command.add_argument("path", metavar="RUN", help="the run's folder")
    command.add_argument("--episodes", type=int, default=10, help="episodes to play (default: %(default)s)")
    command.add_argument("--max-steps", type=int, default=10_000, help="steps after which an episode is cut")
    _add_levels(command)
    command.add_argument(
        "--num-levels", type=int, default=0, metavar="K", help="play the first K of these levels alone (default: all)"
    )
    command.add_argument(
        "--together", type=int, default=1, metavar="N", help="episodes played, and shown, at once (default: 1)"
    )
    command.add_argument("--deterministic", action="store_true", help="the most probable action, as --temperature 0")
    command.add_argument("--temperature", type=float, default=1.0, help="of the policy's samples (default: 1)")
    command.add_argument("--checkpoint", type=int, metavar="STEP", help="an older checkpoint than the newest")
    command.add_argument("--window", action="store_true", help="show the episodes in a window")
    command.add_argument("--video", metavar="FILE", help="film them, .mp4 or .gif")
    command.add_argument("--rate", type=float, help="pictures a second (default: as the environment says)")
    command.add_argument("--seed", type=int, default=0, help="of episodes and samples (default: %(default)s)")
    command.set_defaults(run=_test)


def _test(options: argparse.Namespace) -> None:
    from worldmodels.loading.quiet import load_tensorflow_for

    load_tensorflow_for(options.path)
    from worldmodels.player.policy_show import ShowOptions, show_policy

    temperature = 0.0 if options.deterministic else options.temperature
    given = (options.checkpoint, options.seed, options.video, options.window, options.rate)
    levels = (options.levels, options.num_levels, options.together)
    show_policy(options.path, ShowOptions(options.episodes, options.max_steps, temperature, *given, *levels))


def _add_levels(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "--levels",
        default="train",
        metavar="LEVELS",
        help="of a run: train, those on which it was trained; test, all others (default: %(default)s)",
    )


def _add_picture_options(command: argparse.ArgumentParser, video_required: bool) -> None:
    command.add_argument("--video", required=video_required, metavar="FILE", help="write what is seen, .mp4 or .gif")
    command.add_argument("--width", type=int, help="pixels across of the video, at most (default: 800 for a .gif)")
    command.add_argument("--zoom", type=int, help="screen pixels for each pixel of a frame")
    command.add_argument("--rate", type=int, default=15, help="steps a second (default: %(default)s)")
    command.add_argument(
        "--temperature", type=float, default=1.0, help="of the model's samples; 0 is the most probable"
    )
    command.add_argument("--policy-temperature", type=float, default=1.0, help="of the policy; 0 is greedy")
    command.add_argument(
        "--put-back-every", type=int, default=0, metavar="STEPS", help="put the model back on the real state so often"
    )
    command.add_argument("--seed", type=int, default=0, help="of levels and samples (default: %(default)s)")


def _play_options(options: argparse.Namespace) -> PlayOptions:
    from dataclasses import fields

    from worldmodels.player.session.options import PlayOptions

    given = {field.name: getattr(options, field.name) for field in fields(PlayOptions) if hasattr(options, field.name)}
    return PlayOptions(**given)
