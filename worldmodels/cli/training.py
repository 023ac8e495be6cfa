"""The commands that train: train for one run, grid and search for many; and config, which prints configurations."""

from __future__ import annotations

import argparse
import sys
from contextlib import AbstractContextManager, nullcontext
from typing import TYPE_CHECKING

from worldmodels.cli.arguments import add_engine, add_place, add_seed, add_storage, engine_of
from worldmodels.core.cluster import cluster_module
from worldmodels.core.errors import UserError
from worldmodels.core.output import print_text

if TYPE_CHECKING:
    from worldmodels.config.run_config import RunConfig
    from worldmodels.training.collectors.collector_source import StartCollector


def add_train(commands: argparse._SubParsersAction) -> None:
    """Add the command that trains a run."""
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
        help="YAML files or preset names; later ones win (default: the run's own; dreamer_small for a new one)",
    )
    command.add_argument(
        "overrides", nargs="*", default=[], metavar="KEY=VALUE", help="for example env.game=maze seed=3"
    )
    command.add_argument("--logdir", required=True, help="the run's folder; an existing run continues")
    command.add_argument(
        "--checkpoint",
        type=int,
        metavar="STEP",
        help="continue from this checkpoint of the run, and discard later ones (default: the newest)",
    )
    command.add_argument(
        "--profile", action="store_true", help="trace ten iterations in the run's folder, for TensorBoard's tab Profile"
    )
    add_place(command, "local: training.collectors are processes of this machine; ray: of a Ray cluster")
    command.set_defaults(run=_train)


def _train(options: argparse.Namespace) -> int:
    from worldmodels.training.interrupt import Interrupted
    from worldmodels.training.launch import launch, parse_config

    files = [name for name in options.config if "=" not in name]
    # "--config a b key=value" is natural to type, and argparse gives the override to --config.
    overrides = [name for name in options.config if "=" in name] + options.overrides
    try:
        config = parse_config(files, overrides, options.logdir)
        with _collectors(options, config) as start_collector:
            launch(
                config, options.logdir, options.checkpoint, start_collector=start_collector, profiled=options.profile
            )
    except Interrupted as interrupted:
        print_text(interrupted, file=sys.stderr)
        return 130
    return 0


def _collectors(options: argparse.Namespace, config: RunConfig) -> AbstractContextManager[StartCollector]:
    """Return a context that gives the function that starts the run's collectors.

    Raises:
        UserError: a cluster is given without a use, or there is no such cluster.
    """
    if options.engine == "local":
        if options.address:
            raise UserError("--address is the address of a cluster: give --engine ray too.")
        from worldmodels.training.collectors.collector_process import CollectorProcess

        return nullcontext(CollectorProcess)
    if not config.training.collectors:
        raise UserError(
            "--engine ray runs collectors on a cluster, and training.collectors is 0, so there are none. Give "
            "training.collectors=1 or more."
        )
    collectors: AbstractContextManager[StartCollector] = cluster_module("collectors").on_cluster(options.address)
    return collectors


def add_grid(commands: argparse._SubParsersAction) -> None:
    """Add the command that trains a grid of runs."""
    command = commands.add_parser(
        "grid",
        help="train every combination of values with several seeds; the same command again continues",
        description="Train a grid of runs, each in a process of its own. The same command again continues the grid. "
        "The exit status is 1 if a run failed, and 130 if the grid was stopped.",
    )
    command.add_argument("file", metavar="FILE", help="the grid: a YAML file, or a name of 'list grids'")
    command.add_argument(
        "--jobs",
        type=int,
        help="runs at once, which share the cores of this machine (default: 1 on this machine, as many as fit on a "
        "cluster)",
    )
    command.add_argument("--retry", action="store_true", help="train failed runs again")
    command.add_argument("--dry-run", action="store_true", help="print the commands, and run none")
    add_engine(command)
    add_storage(command).add_argument(
        "--fetch-replay",
        action="store_true",
        help="fetch the experience of the runs too, so that training can continue here",
    )
    command.set_defaults(run=_grid)


def _grid(options: argparse.Namespace) -> int:
    from worldmodels.experiments.grid import load_grid
    from worldmodels.experiments.grid_training import show_commands, train_grid

    grid = load_grid(options.file)
    if options.fetch_replay and not options.storage:
        raise UserError("--fetch-replay is for runs in a storage: give --storage too.")
    if options.dry_run and options.storage:
        raise UserError("--dry-run reads only the grid's folder, not the storage: leave out --storage or --dry-run.")
    if options.dry_run:
        show_commands(grid, options.retry)
        return 0
    engine, storage = engine_of(options), None
    if options.storage:
        storage = cluster_module("grid storage").RemoteGridStorage(options.storage, grid, options.fetch_replay)
    outcome = train_grid(grid, engine, options.retry, storage)
    return 130 if outcome.left else 1 if outcome.failed else 0


def add_search(commands: argparse._SubParsersAction) -> None:
    """Add the command that searches the values of a grid."""
    command = commands.add_parser(
        "search",
        help="train the variants of a grid that Optuna chooses; the same command again continues",
        description="Search the values of a grid with Optuna: each choice follows from the results so far. The same "
        "command again continues the search. The exit status is 1 if a run failed, and 130 if the search was stopped.",
    )
    command.add_argument("file", metavar="FILE", help="the grid: a YAML file, or a name of 'list grids'")
    command.add_argument("--trials", type=int, required=True, metavar="N", help="variants to train at most")
    command.add_argument(
        "--measure",
        metavar="NAME",
        help="the recorded value to compare, the last of each run, as a mean over seeds (default: eval/return, or "
        "episode/return in runs without evaluations)",
    )
    command.add_argument("--minimize", action="store_true", help="the least value is the best (default: the largest)")
    command.add_argument("--jobs", type=int, default=1, help="runs at once, of one variant (default: %(default)s)")
    command.add_argument("--retry", action="store_true", help="train failed runs again")
    add_seed(command)
    command.set_defaults(run=_search)


def _search(options: argparse.Namespace) -> int:
    from worldmodels.experiments.grid import load_grid
    from worldmodels.experiments.search import SearchOptions, search_grid

    chosen = SearchOptions(**{name: getattr(options, name) for name in SearchOptions._fields})
    outcome = search_grid(load_grid(options.file), chosen, options.jobs)
    return 130 if outcome.stopped else 1 if None in outcome.values.values() else 0


def add_config(commands: argparse._SubParsersAction) -> None:
    """Add the command that prints configurations."""
    command = commands.add_parser(
        "config",
        help="print a configuration with the meaning and the range of each key",
        description="Print a configuration as YAML for 'train --config', with the meaning and the range of each key.",
    )
    command.add_argument(
        "words",
        nargs="*",
        metavar="NAME | KEY=VALUE",
        help="presets, YAML files or run folders (later ones win; default: the one of 'train'), and overrides",
    )
    command.add_argument(
        "--diff", nargs=2, metavar=("A", "B"), help="print the keys in which two presets, files or run folders differ"
    )
    command.set_defaults(run=_config)


def _config(options: argparse.Namespace) -> None:
    from worldmodels.config.show import show_config, show_difference
    from worldmodels.training.launch import DEFAULT_PRESETS

    if options.diff and options.words:
        raise UserError(f"--diff compares two configurations; received '{options.words[0]}' besides.")
    if options.diff:
        print_text(show_difference(*options.diff))
        return
    names = [word for word in options.words if "=" not in word]
    overrides = [word for word in options.words if "=" in word]
    print_text(show_config(names or DEFAULT_PRESETS, overrides), end="")
