"""The command line only parses arguments; each subcommand imports what it needs when it runs."""

from __future__ import annotations

import argparse
import atexit
import os
import sys
import warnings
from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING, NoReturn

from worldmodels import __version__
from worldmodels.core.errors import UserError
from worldmodels.core.lookup import unknown

if TYPE_CHECKING:
    from worldmodels.player.session.options import PlayOptions


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one subcommand and return its exit status: 0, 2 for a mistake of the user's, 130 for an interruption.

    Without `arguments` this is the program itself, and the process ends here.
    """
    warnings.showwarning = _show_warning
    status = _run(sys.argv[1:] if arguments is None else arguments)
    if arguments is None:
        _end_process(status)
    return status


def _run(words: Sequence[str]) -> int:
    parser, commands = _parser()
    if not words:
        parser.print_help()  # which is what was asked for: nothing has failed
        return 0
    try:
        if not words[0].startswith("-") and words[0] not in commands:
            raise UserError(unknown("command", words[0], commands))
        options = parser.parse_args(words)
        status: int = options.run(options) or 0
        sys.stdout.flush()  # here, where a pipe that nobody reads any more is no error
        return status
    except UserError as error:
        print(f"worldmodels: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("\nworldmodels: interrupted", file=sys.stderr)
        return 130
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0


def _end_process(status: int) -> NoReturn:
    """End the process with an exit status as soon as everything that is registered for its end is done.

    The interpreter's own end takes TensorFlow's graphs apart, which is 2 to 3 seconds of work for nothing, and waits
    for a model that still loads although its window is closed; ending in the midst of that would crash. Files need none
    of it: a command has written and closed all of its own when it returns.
    """
    atexit._run_exitfuncs()
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(status)


def _show_warning(message: Warning | str, *where: object, **more: object) -> None:
    """Print a warning for the person at the keyboard, without the line of code that gave it."""
    print(f"worldmodels: warning: {message}", file=sys.stderr)


def _parser() -> tuple[argparse.ArgumentParser, Collection[str]]:
    """Return the parser and the names of its commands."""
    parser = argparse.ArgumentParser(
        prog="worldmodels", description="Learn world models of games, train policies inside them, and play in them."
    )
    parser.add_argument("--version", action="version", version=f"worldmodels {__version__}")
    commands = parser.add_subparsers(title="commands", required=True, metavar="COMMAND")
    for add in (
        *(_add_train, _add_config, _add_eval, _add_play, _add_replay, _add_foresee, _add_enjoy),
        *(_add_plot, _add_list, _add_certify, _add_doctor),
    ):
        add(commands)
    return parser, commands.choices


def _add_train(commands: argparse._SubParsersAction) -> None:
    command = commands.add_parser(
        "train",
        help="train a world model and a policy; the same command again continues the run",
        description="Train a world model and a policy inside it. The same command again continues the run.",
    )
    command.add_argument(
        "--config",
        nargs="*",
        default=[],
        metavar="FILE",
        help="YAML files or preset names, later ones win (default: dreamer_small, or an existing run's own)",
    )
    command.add_argument(
        "overrides", nargs="*", default=[], metavar="KEY=VALUE", help="for example env.game=maze seed=3"
    )
    command.add_argument("--logdir", required=True, help="the run's folder; a run that is there continues")
    command.set_defaults(run=_train)


def _train(options: argparse.Namespace) -> int:
    from worldmodels.training.interrupt import Interrupted
    from worldmodels.training.launch import launch, parse_config

    files = [name for name in options.config if "=" not in name]
    # "--config a b key=value" is natural to type, and argparse gives the override to --config.
    overrides = [name for name in options.config if "=" in name] + options.overrides
    try:
        launch(parse_config(files, overrides, options.logdir), options.logdir)
    except Interrupted as interrupted:
        print(interrupted, file=sys.stderr)
        return 130
    return 0


def _add_config(commands: argparse._SubParsersAction) -> None:
    command = commands.add_parser(
        "config",
        help="print a configuration, with what every key means and may be",
        description="Print a configuration with what every key means and may be, as YAML that 'train --config' reads.",
    )
    command.add_argument(
        "words",
        nargs="*",
        metavar="NAME | KEY=VALUE",
        help="presets, YAML files or run folders, later ones win (default: that of 'train'), and overrides",
    )
    command.add_argument(
        "--diff", nargs=2, metavar=("A", "B"), help="print the keys in which two presets, files or run folders differ"
    )
    command.set_defaults(run=_config)


def _config(options: argparse.Namespace) -> None:
    from worldmodels.runtime.show_config import show_config, show_difference
    from worldmodels.training.launch import DEFAULT_PRESETS

    if options.diff and options.words:
        raise UserError(f"--diff compares two configurations; received '{options.words[0]}' besides.")
    if options.diff:
        print(show_difference(*options.diff))
        return
    names = [word for word in options.words if "=" not in word]
    overrides = [word for word in options.words if "=" in word]
    print(show_config(names or DEFAULT_PRESETS, overrides), end="")


def _add_eval(commands: argparse._SubParsersAction) -> None:
    command = commands.add_parser("eval", help="measure a run's policy and world model offline")
    command.add_argument("path", metavar="RUN", help="the run's folder")
    command.add_argument(
        "--mode",
        default="real",
        metavar="MODE",
        help="real: the policy in the game, and the model; imagined: the policy inside the model; model: the model "
        "alone (default: %(default)s)",
    )
    command.add_argument(
        "--agent", default="policy", metavar="AGENT", help="who plays: policy, planner or random (default: %(default)s)"
    )
    command.add_argument(
        "--planner",
        nargs="+",
        default=["small"],
        metavar="SET",
        help="tiny, small or base, then differences such as horizon=8 (default: small)",
    )
    command.add_argument(
        "--temperatures", nargs="+", type=float, help="sampling temperatures of the policy; 0 is greedy"
    )
    command.add_argument("--model-temperatures", nargs="+", type=float, help="sampling temperatures of the world model")
    command.add_argument("--noops", nargs="+", type=int, help="numbers of initial steps without an action")
    command.add_argument("--episodes", type=int, help="episodes for each temperature and number of no-ops")
    command.add_argument("--max-steps", type=int, help="steps after which an episode is cut and reported as unfinished")
    command.add_argument("--context", type=int, help="frames that the world model sees before it predicts alone")
    command.add_argument("--horizon", type=int, help="steps that the world model predicts alone")
    command.add_argument("--windows", type=int, help="recorded sequences over which its errors are averaged")
    command.add_argument("--checkpoint", type=int, metavar="STEP", help="an older checkpoint than the newest")
    command.add_argument("--all-checkpoints", action="store_true", help="every checkpoint that the run kept")
    command.add_argument(
        "--videos", type=int, default=4, metavar="N", help="episodes to film; 0 for no video (default: %(default)s)"
    )
    command.add_argument("--seed", type=int, default=0)
    command.set_defaults(run=_eval)


def _eval(options: argparse.Namespace) -> None:
    from worldmodels.evaluation.request import Request

    names = ("temperatures", "model_temperatures", "noops", "episodes", "max_steps", "context", "horizon", "windows")
    request = Request(
        options.path,
        options.mode,
        options.agent,
        options.planner,
        {name: getattr(options, name) for name in names if getattr(options, name) is not None},
        options.checkpoint,
        options.all_checkpoints,
        options.videos,
        options.seed,
    )
    # A mistake is told before TensorFlow takes its seconds to load.
    from worldmodels.runtime.quiet import load_tensorflow

    load_tensorflow()
    from worldmodels.evaluation.run import evaluate_run

    evaluate_run(request)


def _add_play(commands: argparse._SubParsersAction) -> None:
    command = commands.add_parser("play", help="play in a learned world beside the real one, or in a game alone")
    command.add_argument("paths", nargs="*", metavar="RUN", help="a run's folder; of two, both models play")
    command.add_argument("--game", metavar="NAME", help="play this real game alone")
    command.add_argument(
        "--option", nargs="+", default=[], metavar="NAME=VALUE", help="of --game, for example distribution_mode=hard"
    )
    command.add_argument("--alone", default="", metavar="WORLD", help="of a run: model, or real")
    command.add_argument("--start", default="recorded", help="of a model alone: recorded (in the run's experience), or game")
    command.add_argument("--view", default="people", help="of --game: people (512 pixels) or agent (64 pixels)")
    command.add_argument("--policy", action="store_true", help="the policy plays until a key takes over")
    command.add_argument("--keys", metavar="FILE", help="a script of key events")
    command.add_argument("--headless", action="store_true", help="without a window; needs --video")
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
    if options.game is None:
        play_runs(options.paths, _play_options(options))
        return
    from worldmodels.core.config import load_config
    from worldmodels.envs.config import EnvConfig, game_options

    settings = load_config(EnvConfig, [], options.option)
    play_game(options.game, _play_options(options), game_options(settings))


def _add_replay(commands: argparse._SubParsersAction) -> None:
    command = commands.add_parser(
        "replay",
        help="play a recording again, and verify it",
        description="Play what was recorded with 'play --record', and compare every frame of which a hash was kept.",
    )
    command.add_argument("file", metavar="FILE", help="a recording of actions")
    command.set_defaults(run=_replay)


def _replay(options: argparse.Namespace) -> None:
    from worldmodels.runtime.action_recording import read_recording
    from worldmodels.runtime.action_replay import verify_recording

    played = read_recording(options.file)
    verify_recording(played, options.file)
    print(f"{len(played.episodes)} episodes, {played.steps} steps of {played.game}: all agree.")


def _add_foresee(commands: argparse._SubParsersAction) -> None:
    command = commands.add_parser(
        "foresee",
        help="when does a run's model predict the end of a recorded episode?",
        description="Play a recorded episode again, and ask the model at each step when it will end.",
    )
    command.add_argument("path", metavar="RUN", help="the run's folder")
    command.add_argument("file", metavar="FILE", help="a recording of actions, of 'play --record' or of 'eval'")
    command.add_argument("--episode", type=int, default=1, help="its number in the recording (default: %(default)s)")
    command.add_argument("--horizon", type=int, default=50, help="steps that the model looks ahead (default: 50)")
    command.add_argument("--seed", type=int, default=0, help="of the model's samples (default: %(default)s)")
    command.set_defaults(run=_foresee)


def _foresee(options: argparse.Namespace) -> None:
    from worldmodels.runtime.quiet import load_tensorflow

    load_tensorflow()
    from worldmodels.evaluation.forecast import forecast_run

    forecast_run(options.path, options.file, options.episode, options.horizon, options.seed)


def _add_enjoy(commands: argparse._SubParsersAction) -> None:
    command = commands.add_parser("enjoy", help="film a run's policy: model, real game and difference side by side")
    command.add_argument("path", metavar="RUN", help="the run's folder")
    command.add_argument(
        "--steps", type=int, default=450, dest="ticks", help="length of the film (default: %(default)s)"
    )
    _add_picture_options(command, video_required=True)
    command.set_defaults(run=_enjoy, headless=True, policy=True)


def _enjoy(options: argparse.Namespace) -> None:
    from worldmodels.player.app import play_runs

    play_runs([options.path], _play_options(options))


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


def _add_plot(commands: argparse._SubParsersAction) -> None:
    command = commands.add_parser("plot", help="plot a recorded value of one or more runs")
    command.add_argument("paths", nargs="+", metavar="RUN", help="run folders")
    command.add_argument("--value", default="episode/return", help="name of the recorded value (default: %(default)s)")
    command.add_argument(
        "--x", default="step", help="the counter below: step, model/updates, policy/updates (default: %(default)s)"
    )
    command.add_argument("--smooth", type=int, help="records to average over (default: a twentieth of them)")
    command.add_argument("--save", default="curves.png", help="the picture to write (default: %(default)s)")
    command.set_defaults(run=_plot)


def _plot(options: argparse.Namespace) -> None:
    from worldmodels.analysis.plots import plot_runs

    print(plot_runs(options.paths, options.value, smooth=options.smooth, save=options.save, x=options.x))


def _add_list(commands: argparse._SubParsersAction) -> None:
    command = commands.add_parser("list", help="list games, models, agents or configs")
    command.add_argument("what", choices=("games", "models", "agents", "configs"))
    command.set_defaults(run=_list)


def _list(options: argparse.Namespace) -> None:
    from worldmodels.runtime.catalogue import names_of

    print("\n".join(names_of(options.what)))


def _add_certify(commands: argparse._SubParsersAction) -> None:
    command = commands.add_parser(
        "certify",
        help="solve thousands of levels of a game: none may be impossible, or end before one can act",
        description="Build levels of games and solve them. The exit status is 1 if one is unsolvable or ends at once.",
    )
    command.add_argument("games", nargs="+", metavar="GAME", help="names of games, or all")
    command.add_argument("--mode", nargs="+", default=[], metavar="M", help="distribution modes (default: all offered)")
    command.add_argument("--levels", type=int, default=100_000, help="of each game and mode (default: %(default)s)")
    command.add_argument("--first", type=int, default=0, help="the lowest level seed (default: %(default)s)")
    command.add_argument("--threads", type=int, default=2, help="(default: %(default)s)")
    command.add_argument("--json", metavar="FILE", help="write the results, with the seeds of all levels that failed")
    command.set_defaults(run=_certify)


def _certify(options: argparse.Namespace) -> int:
    from worldmodels.envs.certify import LevelRange, certify_and_report

    levels = LevelRange(options.levels, options.first, options.threads)
    return certify_and_report(options.games, options.mode, levels, options.json)


def _add_doctor(commands: argparse._SubParsersAction) -> None:
    command = commands.add_parser("doctor", help="what this machine has, what is missing, how fast it is")
    command.set_defaults(run=_doctor)


def _doctor(options: argparse.Namespace) -> int:
    from worldmodels.runtime.doctor import examine

    return examine()
