"""The commands that play: play, replay, which verifies a recording, enjoy and test, which show a policy."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from worldmodels.cli.arguments import add_checkpoint, add_levels, add_run, add_seed
from worldmodels.core.errors import UserError, counted
from worldmodels.core.output import print_text

if TYPE_CHECKING:
    from worldmodels.player.session.options import PlayOptions


def add_play(commands: argparse._SubParsersAction) -> None:
    """Add the command that opens the player."""
    command = commands.add_parser("play", help="play in a learned world beside the real one, or in a game alone")
    command.add_argument("paths", nargs="*", metavar="RUN", help="a run's folder; two folders show both models")
    command.add_argument("--game", metavar="NAME", help="play this real game or Gymnasium environment alone")
    command.add_argument(
        "--option",
        nargs="+",
        default=[],
        metavar="NAME=VALUE",
        help="options of --game, for example distribution_mode=hard",
    )
    command.add_argument("--alone", default="", metavar="WORLD", help="play only one world of a run: model, or real")
    command.add_argument(
        "--start",
        default="recorded",
        help="the start of --alone model: recorded (in the run's experience), or game (an episode's first frame)",
    )
    add_levels(command)
    command.add_argument(
        "--view", default="people", help="the view of a game alone: people (512 pixels), or agent (64 pixels)"
    )
    command.add_argument("--policy", action="store_true", help="the policy plays until a key takes over")
    command.add_argument("--keys", metavar="FILE", help="a YAML file that gives keys other meanings")
    command.add_argument("--key-script", metavar="FILE", help="a script of key events")
    _add_places(command)
    command.add_argument("--steps", type=int, help="stop after this many steps")
    command.add_argument("--record", metavar="FILE", help="write the actions to a file that --script plays again")
    command.add_argument("--script", metavar="FILE", help="play the actions of a recording")
    command.add_argument(
        "--pictures", default="pictures", help="the folder in which key F2 saves pictures (default: %(default)s)"
    )
    _add_picture_options(command, video_required=False)
    command.set_defaults(run=_play)


def _add_places(command: argparse.ArgumentParser) -> None:
    """Add where the session is shown: in a window by default, in a browser, or nowhere."""
    command.add_argument("--headless", action="store_true", help="play without a window; needs --video")
    command.add_argument("--web", action="store_true", help="play in a browser: print the link to open")
    command.add_argument("--host", default="127.0.0.1", help="the address of --web for browsers (default: %(default)s)")
    command.add_argument(
        "--port", type=int, default=8765, help="the port of --web; 0 takes a free one (default: %(default)s)"
    )


def _play(options: argparse.Namespace) -> None:
    from worldmodels.player.app import play_game, play_runs

    if bool(options.paths) == bool(options.game):
        raise UserError("Say what to play: the folder of a run (or two), or --game NAME.")
    if options.game is not None and options.levels != "train":
        raise UserError("A game alone has no test levels: --levels is for runs, and --option start_level=N for games.")
    if options.game is None and options.option:
        raise UserError(f"--option is for --game: a run has its own options. Received {options.option[0]}.")
    if options.game is None:
        play_runs(options.paths, _play_options(options))
        return
    play_game(options.game, _play_options(options), _game_options(options.game, options.option))


def _game_options(game: str, words: Sequence[str]) -> dict[str, Any]:
    """Return the options of a game from words such as "distribution_mode=hard".

    Raises:
        UserError: there is no such option, or it has no effect in this game.
    """
    from worldmodels.core.configuration.sections import load_config
    from worldmodels.envs.config import DEFAULTS, FOREIGN, WITHOUT_EFFECT, EnvConfig, changed, game_options
    from worldmodels.envs.making import is_native

    settings = load_config(EnvConfig, [], [*words, f"game={game}"])
    names = [word.partition("=")[0].partition(".")[0] for word in words]
    if is_native(settings):
        without_effect = [name for name in names if name not in DEFAULTS]
        found = game_options(settings)
    else:
        without_effect = [name for name in names if name not in {*FOREIGN} - {*WITHOUT_EFFECT}]
        found = {key: getattr(settings, key) for key in changed(settings, {*FOREIGN} - {*WITHOUT_EFFECT})}
    if without_effect:
        raise UserError(f"The option '{without_effect[0]}' has no effect in the game '{game}': leave it out.")
    return found


def add_replay(commands: argparse._SubParsersAction) -> None:
    """Add the command that verifies a recording."""
    command = commands.add_parser(
        "replay",
        help="play a recording again, and verify it",
        description="Play a recording of 'play --record' again, and compare each frame with the recorded hash.",
    )
    command.add_argument("file", metavar="FILE", help="a recording of actions")
    command.add_argument(
        "--game",
        default="",
        metavar="NAME",
        help="the recording's game, if it imports a module (module:Name-v0)",
    )
    command.set_defaults(run=_replay)


def _replay(options: argparse.Namespace) -> None:
    from worldmodels.recordings.action_recording import read_recording
    from worldmodels.recordings.action_replay import verify_recording

    played = read_recording(options.file)
    if options.game and options.game != played.game:
        raise UserError(f"'{options.file}' is a recording of '{played.game}'. Received --game {options.game}.")
    verify_recording(played, options.file, options.game)
    episodes, steps = counted(len(played.episodes), "episode"), counted(played.steps, "step")
    print_text(f"{episodes}, {steps} of {played.game}: all agree.")


def add_enjoy(commands: argparse._SubParsersAction) -> None:
    """Add the command that films a policy."""
    command = commands.add_parser("enjoy", help="film a run's policy: model, real game and difference side by side")
    add_run(command)
    command.add_argument("--steps", type=int, default=450, help="length of the film (default: %(default)s)")
    add_levels(command)
    _add_picture_options(command, video_required=True)
    command.set_defaults(run=_enjoy, headless=True, policy=True)


def _enjoy(options: argparse.Namespace) -> None:
    from worldmodels.player.app import play_runs

    play_runs([options.path], _play_options(options))


def add_test(commands: argparse._SubParsersAction) -> None:
    """Add the command that lets a policy play in its environment alone."""
    command = commands.add_parser(
        "test",
        help="play whole episodes with a run's policy: print returns, show a window, or film them",
        description="Play whole episodes in a run's environment with its policy, and print the return of each.",
    )
    add_run(command)
    command.add_argument("--episodes", type=int, default=10, help="episodes to play (default: %(default)s)")
    command.add_argument("--max-steps", type=int, default=10_000, help="steps after which an episode is cut")
    add_levels(command)
    command.add_argument(
        "--num-levels", type=int, default=0, metavar="K", help="play only the first K of these levels (default: all)"
    )
    command.add_argument(
        "--together",
        type=int,
        default=1,
        metavar="N",
        help="episodes that are played at once, side by side (default: 1)",
    )
    command.add_argument(
        "--deterministic", action="store_true", help="take the most probable action, as --temperature 0 does"
    )
    command.add_argument(
        "--temperature", type=float, default=1.0, help="sampling temperature of the policy (default: 1)"
    )
    add_checkpoint(command)
    command.add_argument("--window", action="store_true", help="show the episodes in a window")
    command.add_argument("--video", metavar="FILE", help="write a film of the episodes, .mp4 or .gif")
    command.add_argument("--rate", type=float, help="pictures a second (default: the environment's own rate)")
    add_seed(command)
    command.set_defaults(run=_test)


def _test(options: argparse.Namespace) -> None:
    if options.deterministic and options.temperature not in (0.0, 1.0):
        raise UserError(f"--deterministic is --temperature 0. Received --temperature {options.temperature:g} besides.")
    if options.rate is not None and not (options.window or options.video):
        raise UserError("--rate is the rate of pictures: give --window or --video too.")
    from worldmodels.loading.quiet import load_tensorflow_for

    load_tensorflow_for(options.path)
    from worldmodels.player.policy_show import ShowOptions, show_policy

    temperature = 0.0 if options.deterministic else options.temperature
    given = (options.checkpoint, options.seed, options.video, options.window, options.rate)
    levels = (options.levels, options.num_levels, options.together)
    show_policy(options.path, ShowOptions(options.episodes, options.max_steps, temperature, *given, *levels))


def _add_picture_options(command: argparse.ArgumentParser, video_required: bool) -> None:
    command.add_argument("--video", required=video_required, metavar="FILE", help="the video to write, .mp4 or .gif")
    command.add_argument("--width", type=int, help="the video's width in pixels, at most (default: 800 for a .gif)")
    command.add_argument("--zoom", type=int, help="screen pixels for each pixel of a frame")
    command.add_argument("--rate", type=int, default=15, help="steps a second (default: %(default)s)")
    command.add_argument(
        "--temperature", type=float, default=1.0, help="sampling temperature of the model; 0 is greedy"
    )
    command.add_argument(
        "--policy-temperature", type=float, default=1.0, help="sampling temperature of the policy; 0 is greedy"
    )
    command.add_argument(
        "--put-back-every",
        type=int,
        default=0,
        metavar="STEPS",
        help="steps after which the model is put back on the real state; 0: never",
    )
    add_seed(command)


def _play_options(options: argparse.Namespace) -> PlayOptions:
    from dataclasses import fields

    from worldmodels.player.session.options import PlayOptions

    given = {field.name: getattr(options, field.name) for field in fields(PlayOptions) if hasattr(options, field.name)}
    return PlayOptions(**given)
