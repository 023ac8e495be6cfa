"""The command that trains many runs: grid."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from worldmodels.core.errors import UserError

if TYPE_CHECKING:
    from worldmodels.experiments.engines.api import Engine

CLUSTER = ("address", "cores_per_run", "memory_per_run", "gpus_per_run")
"""Options that only a cluster has."""


def add_grid(commands: argparse._SubParsersAction) -> None:
    """Add the command that trains a grid of runs."""
    command = commands.add_parser(
        "grid",
        help="train every combination of some values with several seeds; the same command again goes on",
        description="Train a grid of runs, each in a process of its own. The same command again goes on where it was. "
        "The exit status is 1 if a run failed, and 130 if the grid was stopped.",
    )
    command.add_argument("file", metavar="FILE", help="the grid: a YAML file, or a name of 'list grids'")
    command.add_argument(
        "--jobs",
        type=int,
        help="runs at once (default: on this machine 1, and the cores are divided among them; on a cluster as many as "
        "it has room for)",
    )
    command.add_argument("--retry", action="store_true", help="train the runs again that failed before")
    command.add_argument("--dry-run", action="store_true", help="print the commands that would be run, and no more")
    _add_engine(command)
    command.set_defaults(run=_grid)


def _add_engine(command: argparse.ArgumentParser) -> None:
    """Add where runs go, and what each of them takes of a cluster."""
    group = command.add_argument_group("a cluster (docs/scale.md)")
    group.add_argument(
        "--engine",
        choices=["local", "ray"],
        default="local",
        help="local: processes of this machine; ray: a Ray cluster",
    )
    group.add_argument("--address", metavar="HOST:PORT", help="of the cluster (default: that of this machine)")
    group.add_argument("--cores-per-run", type=int, metavar="N", help="cores of one node for each run (default: 1)")
    group.add_argument(
        "--memory-per-run", type=float, metavar="GIB", help="memory kept for each run (default: not counted)"
    )
    group.add_argument("--gpus-per-run", type=int, metavar="N", help="GPUs for each run (default: 0)")


def _grid(options: argparse.Namespace) -> int:
    from worldmodels.experiments.grid import load_grid
    from worldmodels.experiments.grid_training import show_commands, train_grid

    grid = load_grid(options.file)
    if options.dry_run:
        show_commands(grid, options.retry)
        return 0
    outcome = train_grid(grid, _engine(options), options.retry)
    return 130 if outcome.left else 1 if outcome.failed else 0


def _engine(options: argparse.Namespace) -> Engine:
    """Return the engine that the options ask for.

    Raises:
        UserError: an option of a cluster is given without one, a number is out of range, or Ray is not installed.
    """
    from worldmodels.experiments.engines.local import LocalEngine, core_shares

    given = {name: getattr(options, name) for name in CLUSTER if getattr(options, name) is not None}
    if options.engine == "ray":
        from worldmodels.experiments.engines.ray import RayEngine, RunResources

        resources = {name.removesuffix("_per_run"): value for name, value in given.items() if name != "address"}
        return RayEngine(RunResources(**resources), options.address, options.jobs)
    if given:
        flag = "--" + next(iter(given)).replace("_", "-")
        raise UserError(f"{flag} is for a cluster: give --engine ray, too, or --jobs alone for this machine.")
    return LocalEngine(core_shares(1 if options.jobs is None else options.jobs))
