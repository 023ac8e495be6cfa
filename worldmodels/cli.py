"""The command line: argument parsing only. Each subcommand imports what it needs when it runs."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence

from worldmodels import __version__
from worldmodels.core.errors import UserError


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one subcommand; the exit status is 0, 2 for a mistake of the user's, 130 for an interruption."""
    options = _parser().parse_args(arguments)
    try:
        return options.run(options) or 0
    except UserError as error:
        print(f"worldmodels: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("\nworldmodels: interrupted", file=sys.stderr)
        return 130
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="worldmodels", description="Learn world models of games, train policies inside them, and play in them."
    )
    parser.add_argument("--version", action="version", version=f"worldmodels {__version__}")
    commands = parser.add_subparsers(title="commands", required=True, metavar="COMMAND")
    for add in (_add_train, _add_eval, _add_play, _add_enjoy, _add_plot, _add_list, _add_doctor):
        add(commands)
    return parser


def _add_train(commands: argparse._SubParsersAction) -> None:
    command = commands.add_parser(
        "train",
        help="train a world model and a policy; the same command again continues the run",
        description="Train a world model and a policy inside it. The same command again continues the run.",
    )
    command.add_argument("--config", nargs="*", default=[], metavar="FILE", help="YAML files or preset names, later ones win")
    command.add_argument("overrides", nargs="*", default=[], metavar="KEY=VALUE", help="for example env.game=maze seed=3")
    command.add_argument("--logdir", required=True, help="the run's folder; without --config an existing run continues")
    command.set_defaults(run=_train)


def _train(options: argparse.Namespace) -> int:
    from worldmodels.training.launch import train_from_files

    files = [name for name in options.config if "=" not in name]
    # "--config a b key=value" is natural to type, and argparse gives the override to --config.
    overrides = [name for name in options.config if "=" in name] + options.overrides
    return train_from_files(files, overrides, options.logdir)


def _add_eval(commands: argparse._SubParsersAction) -> None:
    command = commands.add_parser("eval", help="measure a run's policy and world model offline")
    command.add_argument("path", metavar="RUN", help="the run's folder")
    command.add_argument("--temperatures", nargs="+", type=float, help="sampling temperatures of the policy; 0 is greedy")
    command.add_argument("--noops", nargs="+", type=int, help="numbers of initial steps without an action")
    command.add_argument("--episodes", type=int, help="episodes for each temperature and number of no-ops")
    command.add_argument("--max-steps", type=int, help="steps after which an episode is cut and reported as unfinished")
    command.add_argument("--horizon", type=int, help="steps that the world model predicts alone")
    command.add_argument("--checkpoint", type=int, metavar="STEP", help="an older checkpoint than the newest")
    command.add_argument("--seed", type=int, default=0)
    command.set_defaults(run=_eval)


def _eval(options: argparse.Namespace) -> None:
    from worldmodels.runtime.quiet import load_tensorflow

    load_tensorflow()
    from worldmodels.evaluation.run import evaluate_run

    names = ("temperatures", "noops", "episodes", "max_steps", "horizon")
    chosen = {name: getattr(options, name) for name in names if getattr(options, name) is not None}
    evaluate_run(options.path, chosen, step=options.checkpoint, seed=options.seed)


def _add_play(commands: argparse._SubParsersAction) -> None:
    command = commands.add_parser("play", help="play in a learned world beside the real one, or in a game alone")
    command.add_argument("path", nargs="?", metavar="RUN", help="the run's folder")
    command.add_argument("--game", help="play this real game alone")
    command.set_defaults(run=_play)


def _play(options: argparse.Namespace) -> None:
    raise UserError("not wired")


def _add_enjoy(commands: argparse._SubParsersAction) -> None:
    command = commands.add_parser("enjoy", help="film a run's policy: model, real game and difference side by side")
    command.add_argument("path", metavar="RUN", help="the run's folder")
    command.add_argument("--video", required=True, metavar="FILE", help="an .mp4 or .gif to write")
    command.set_defaults(run=_enjoy)


def _enjoy(options: argparse.Namespace) -> None:
    raise UserError("not wired")


def _add_plot(commands: argparse._SubParsersAction) -> None:
    command = commands.add_parser("plot", help="plot a recorded value of one or more runs")
    command.add_argument("paths", nargs="+", metavar="RUN", help="run folders")
    command.add_argument("--value", default="episode/return", help="name of the recorded value (default: %(default)s)")
    command.add_argument("--smooth", type=int, default=1, help="records to average over (default: %(default)s)")
    command.add_argument("--save", default="curves.png", help="the picture to write (default: %(default)s)")
    command.set_defaults(run=_plot)


def _plot(options: argparse.Namespace) -> None:
    from worldmodels.analysis.plots import plot_runs

    print(plot_runs(options.paths, options.value, smooth=options.smooth, save=options.save))


def _add_list(commands: argparse._SubParsersAction) -> None:
    command = commands.add_parser("list", help="list games, models, agents or configs")
    command.add_argument("what", choices=("games", "models", "agents", "configs"))
    command.set_defaults(run=_list)


def _list(options: argparse.Namespace) -> None:
    from worldmodels.runtime.catalogue import names_of

    print("\n".join(names_of(options.what)))


def _add_doctor(commands: argparse._SubParsersAction) -> None:
    command = commands.add_parser("doctor", help="what this machine has, what is missing, how fast it is")
    command.set_defaults(run=_doctor)


def _doctor(options: argparse.Namespace) -> int:
    from worldmodels.runtime.doctor import examine

    return examine()
