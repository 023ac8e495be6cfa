"""The command that trains many runs: grid."""

from __future__ import annotations

import argparse

from worldmodels.cli.engines import add_engine, add_storage, engine_of
from worldmodels.core.cluster import cluster_module
from worldmodels.core.errors import UserError


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
    add_engine(command)
    add_storage(command).add_argument(
        "--fetch-replay", action="store_true", help="fetch the experience of the runs, too, to train them here later"
    )
    command.set_defaults(run=_grid)


def _grid(options: argparse.Namespace) -> int:
    from worldmodels.experiments.grid import load_grid
    from worldmodels.experiments.grid_training import show_commands, train_grid

    grid = load_grid(options.file)
    if options.fetch_replay and not options.storage:
        raise UserError("--fetch-replay is for runs in a storage: give --storage, too.")
    if options.dry_run and options.storage:
        raise UserError("--dry-run looks at the grid's folder alone, and what is done stands in the storage.")
    if options.dry_run:
        show_commands(grid, options.retry)
        return 0
    engine, storage = engine_of(options), None
    if options.storage:
        storage = cluster_module("grid storage").RemoteGridStorage(options.storage, grid, options.fetch_replay)
    outcome = train_grid(grid, engine, options.retry, storage)
    return 130 if outcome.left else 1 if outcome.failed else 0
