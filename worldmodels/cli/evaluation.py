"""The commands that measure and show runs: eval, compare, foresee and plot."""

from __future__ import annotations

import argparse
from pathlib import Path

from worldmodels.cli.engines import add_engine, add_storage, engine_of
from worldmodels.core.cluster import cluster_module

BOTH = "both"
"""The choice of all levels, those of training first."""


def add_eval(commands: argparse._SubParsersAction) -> None:
    """Add the command that evaluates a run, or all runs of a grid."""
    command = commands.add_parser(
        "eval",
        help="measure a run's policy and world model offline",
        description="Measure a run's policy and world model. With a grid, --jobs or --engine each checkpoint has a "
        "process of its own, and the same command again measures what is missing; the exit status is then 1 if one "
        "failed, and 130 if it was stopped.",
    )
    command.add_argument("path", metavar="RUN", help="the run's folder; or a grid's folder or file")
    command.add_argument(
        "--mode",
        default="real",
        metavar="MODE",
        help="real: the policy in the game, and the model; imagined: the policy inside the model; model: the model "
        "alone (default: %(default)s)",
    )
    command.add_argument(
        "--levels",
        choices=["train", "test", BOTH],
        default="train",
        help="train: those on which the run was trained; test: all others; both: first the ones, then the others "
        "(default: %(default)s)",
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
    command.add_argument(
        "--jobs",
        type=int,
        help="checkpoints at once (default: on this machine 1; on a cluster as many as it has room for)",
    )
    add_engine(command)
    add_storage(command)
    command.set_defaults(run=_eval)


def _eval(options: argparse.Namespace) -> int:
    from worldmodels.envs.games.levels import LEVELS
    from worldmodels.evaluation.request import Request
    from worldmodels.experiments.grid_paths import begun_runs

    names = ("temperatures", "model_temperatures", "noops", "episodes", "max_steps", "context", "horizon", "windows")
    levels = LEVELS if options.levels == BOTH else [options.levels]
    request = Request(
        options.path,
        options.mode,
        levels[0],
        options.agent,
        options.planner,
        {name: getattr(options, name) for name in names if getattr(options, name) is not None},
        options.checkpoint,
        options.all_checkpoints,
        options.videos,
        options.seed,
    )
    runs, engine = begun_runs(options.path), engine_of(options)
    several = runs != [Path(options.path)] or options.jobs is not None
    if several or options.engine == "ray" or options.storage is not None:
        from worldmodels.experiments.evaluation_jobs import evaluate_in_jobs

        storage = None
        if options.storage is not None:
            storage = cluster_module("evaluation storage").RemoteEvaluationStorage(options.storage, runs)
        outcome = evaluate_in_jobs(request, runs, engine, storage, levels)
        return 130 if outcome.left else 1 if outcome.failed else 0
    from worldmodels.loading.quiet import load_tensorflow_for

    load_tensorflow_for(options.path)
    from worldmodels.evaluation.run import evaluate_run

    evaluate_run(request, levels)
    return 0


def add_shift(commands: argparse._SubParsersAction) -> None:
    """Add the command that evaluates a run under distribution shifts."""
    command = commands.add_parser(
        "shift",
        help="which change of the game breaks a run's policy, and which its world model",
        description="Play a run as in training, on its test levels, and with one option of its game changed at a time; "
        "print returns and the model's errors as one table, and write it into the run's folder.",
    )
    command.add_argument("path", metavar="RUN", help="the run's folder")
    command.add_argument(
        "--shifts",
        metavar="FILE",
        help="a YAML file, 'name: {key of env: value}', in place of the test levels, all options and all modes",
    )
    command.add_argument("--games", nargs="+", default=[], metavar="GAME", help="play these native games, too")
    command.add_argument("--episodes", type=int, help="episodes in each environment")
    command.add_argument("--max-steps", type=int, help="steps after which an episode is cut")
    command.add_argument("--temperature", type=float, default=1.0, help="of the policy's samples (default: 1)")
    command.add_argument("--context", type=int, help="frames that the world model sees before it predicts alone")
    command.add_argument("--horizon", type=int, help="steps that the world model predicts alone")
    command.add_argument("--windows", type=int, help="recorded sequences over which its errors are averaged")
    command.add_argument("--checkpoint", type=int, metavar="STEP", help="an older checkpoint than the newest")
    command.add_argument("--seed", type=int, default=0)
    command.set_defaults(run=_shift)


def _shift(options: argparse.Namespace) -> None:
    from worldmodels.core.errors import UserError
    from worldmodels.evaluation.request import Request

    if options.shifts is not None and options.games:
        raise UserError("A file of shifts names its games itself, 'name: {game: maze}': leave out --shifts or --games.")
    names = ("episodes", "max_steps", "context", "horizon", "windows")
    settings = {name: getattr(options, name) for name in names if getattr(options, name) is not None}
    settings |= {"temperatures": [options.temperature], "model_temperatures": [1.0], "noops": [0]}
    request = Request(options.path, settings=settings, step=options.checkpoint, videos=0, seed=options.seed)
    from worldmodels.evaluation.shift.request import ShiftRequest, chosen_shifts

    shifts = ShiftRequest(request, options.shifts, options.games)
    chosen_shifts(shifts)
    from worldmodels.loading.quiet import load_tensorflow_for

    load_tensorflow_for(options.path)
    from worldmodels.evaluation.shift.run import evaluate_shifts

    evaluate_shifts(shifts)


def add_compare(commands: argparse._SubParsersAction) -> None:
    """Add the command that compares the returns of runs."""
    command = commands.add_parser(
        "compare",
        help="the returns of several runs beside each other, with intervals",
        description="Print the returns of the last evaluation of each run, by levels, and by how much those of the "
        "first run exceed the others'. Intervals are over episodes: another seed of training may differ by more.",
    )
    command.add_argument("paths", nargs="+", metavar="RUN", help="folders of runs that were evaluated before")
    command.set_defaults(run=_compare)


def _compare(options: argparse.Namespace) -> None:
    from worldmodels.evaluation.comparison import compare_runs

    compare_runs(options.paths)


def add_foresee(commands: argparse._SubParsersAction) -> None:
    """Add the command that forecasts terminations."""
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
    from worldmodels.loading.quiet import load_tensorflow_for

    load_tensorflow_for(options.path)
    from worldmodels.evaluation.forecast import forecast_run

    forecast_run(options.path, options.file, options.episode, options.horizon, options.seed)
