"""The commands that measure runs: eval, shift, compare and foresee."""

from __future__ import annotations

import argparse
from pathlib import Path

from worldmodels.cli.arguments import (
    add_checkpoint,
    add_engine,
    add_episodes,
    add_levels,
    add_run,
    add_seed,
    add_storage,
    add_windows,
    engine_of,
    given,
)
from worldmodels.core.cluster import cluster_module
from worldmodels.core.errors import UserError

BOTH = "both"
"""The choice of all levels, those of training first."""
MODEL = ("context", "horizon", "windows")
"""The settings of the model's measures."""


def add_eval(commands: argparse._SubParsersAction) -> None:
    """Add the command that evaluates a run, or all runs of a grid."""
    command = commands.add_parser(
        "eval",
        help="measure a run's policy and world model offline",
        description="Measure a run's policy and world model. A grid, --jobs or --engine gives each checkpoint a "
        "process of its own; the same command again measures what is missing. The exit status is then 1 if a "
        "checkpoint failed, and 130 if the command was stopped.",
    )
    command.add_argument("path", metavar="RUN", help="the run's folder; or a grid's folder or file")
    command.add_argument(
        "--mode",
        default="real",
        metavar="MODE",
        help="real: the policy in the game, and the model; imagined: the policy inside the model; model: the model "
        "alone (default: %(default)s)",
    )
    add_levels(command, f"; {BOTH}: first train, then test")
    _add_agent(command)
    _add_sampling(command)
    add_episodes(command, "pair of a temperature and a number of no-ops")
    add_windows(command)
    add_checkpoint(command)
    command.add_argument("--all-checkpoints", action="store_true", help="measure every checkpoint that the run kept")
    command.add_argument(
        "--videos", type=int, default=4, metavar="N", help="episodes to film; 0 for no video (default: %(default)s)"
    )
    add_seed(command)
    command.add_argument(
        "--jobs", type=int, help="checkpoints at once (default: 1 on this machine, as many as fit on a cluster)"
    )
    add_engine(command)
    add_storage(command)
    command.set_defaults(run=_eval)


def _add_agent(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "--agent",
        default="policy",
        metavar="AGENT",
        help="the player: policy, planner or random (default: %(default)s)",
    )
    command.add_argument(
        "--planner",
        nargs="+",
        metavar="SET",
        help="the settings of --agent planner: tiny, small or base, then changes such as horizon=8 (default: small)",
    )


def _add_sampling(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "--temperatures", nargs="+", type=float, help="sampling temperatures of the policy; 0 is greedy"
    )
    command.add_argument("--model-temperatures", nargs="+", type=float, help="sampling temperatures of the world model")
    command.add_argument(
        "--noops", nargs="+", type=int, help="numbers of steps without an action at the start of an episode"
    )


def _eval(options: argparse.Namespace) -> int:
    from worldmodels.envs.games.levels import MEASURED
    from worldmodels.evaluation.request import Request
    from worldmodels.experiments.grid import begun_runs

    if options.planner and options.agent != "planner":
        raise UserError(f"--planner is for --agent planner. Received --agent {options.agent}.")
    levels = MEASURED if options.levels == BOTH else [options.levels]
    request = Request(
        options.path,
        options.mode,
        levels[0],
        options.agent,
        options.planner or ["small"],
        given(options, "temperatures", "model_temperatures", "noops", "episodes", "max_steps", *MODEL),
        options.checkpoint,
        options.all_checkpoints,
        options.videos,
        options.seed,
    )
    engine, runs = engine_of(options), begun_runs(options.path)
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
        help="find the changes of the game that break a run's policy or its world model",
        description="Play a run as in training, on its test levels, and with one option of its game changed at a "
        "time. Print returns and the model's errors as one table, and write the table into the run's folder.",
    )
    add_run(command)
    command.add_argument(
        "--shifts",
        metavar="FILE",
        help="a YAML file, 'name: {key of env: value}', instead of the test levels, all options and all modes",
    )
    command.add_argument("--games", nargs="+", default=[], metavar="GAME", help="play these native games too")
    add_episodes(command, "environment")
    command.add_argument(
        "--temperature", type=float, default=1.0, help="sampling temperature of the policy (default: 1)"
    )
    add_windows(command)
    add_checkpoint(command)
    add_seed(command)
    command.set_defaults(run=_shift)


def _shift(options: argparse.Namespace) -> None:
    from worldmodels.evaluation.request import Request

    if options.shifts is not None and options.games:
        raise UserError("A file of shifts names its games itself, 'name: {game: maze}': leave out --shifts or --games.")
    settings = given(options, "episodes", "max_steps", *MODEL)
    settings |= {"temperatures": [options.temperature], "model_temperatures": [1.0], "noops": [0]}
    request = Request(options.path, settings=settings, step=options.checkpoint, videos=0, seed=options.seed)
    from worldmodels.evaluation.shift.shifts import ShiftRequest, chosen_shifts

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
        help="compare the returns of several runs, with intervals",
        description="Print the returns of each run's last evaluation, by levels, and the difference between the first "
        "run and each other one. Intervals are over episodes; another training seed may differ by more.",
    )
    command.add_argument("paths", nargs="+", metavar="RUN", help="folders or files of evaluated runs and grids")
    command.set_defaults(run=_compare)


def _compare(options: argparse.Namespace) -> None:
    from worldmodels.evaluation.comparison import compare_runs
    from worldmodels.experiments.grid import begun_runs

    compare_runs([str(run) for path in options.paths for run in begun_runs(path)])


def add_foresee(commands: argparse._SubParsersAction) -> None:
    """Add the command that forecasts terminations."""
    command = commands.add_parser(
        "foresee",
        help="find when a run's model predicts the end of a recorded episode",
        description="Play a recorded episode again. At each step the model predicts when the episode will end.",
    )
    add_run(command)
    command.add_argument("file", metavar="FILE", help="a recording of actions by 'play --record' or 'eval'")
    command.add_argument(
        "--episode", type=int, default=1, help="the episode's number in the recording (default: %(default)s)"
    )
    command.add_argument("--horizon", type=int, default=50, help="steps that the model looks ahead (default: 50)")
    add_seed(command)
    command.set_defaults(run=_foresee)


def _foresee(options: argparse.Namespace) -> None:
    from worldmodels.loading.quiet import load_tensorflow_for

    load_tensorflow_for(options.path)
    from worldmodels.evaluation.forecast import forecast_run

    forecast_run(options.path, options.file, options.episode, options.horizon, options.seed)
