"""The commands that train: train, and config, which prints what a run would be."""

from __future__ import annotations

import argparse
import sys
from contextlib import AbstractContextManager, nullcontext
from typing import TYPE_CHECKING

from worldmodels.cli.engines import add_place
from worldmodels.core.cluster import cluster_module
from worldmodels.core.errors import UserError

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
        help="YAML files or preset names, later ones win (default: dreamer_small, or an existing run's own)",
    )
    command.add_argument(
        "overrides", nargs="*", default=[], metavar="KEY=VALUE", help="for example env.game=maze seed=3"
    )
    command.add_argument("--logdir", required=True, help="the run's folder; a run that is there continues")
    command.add_argument(
        "--checkpoint",
        type=int,
        metavar="STEP",
        help="continue from this checkpoint of the run, and give up what came after it (default: the newest)",
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
            launch(config, options.logdir, options.checkpoint, start_collector=start_collector)
    except Interrupted as interrupted:
        print(interrupted, file=sys.stderr)
        return 130
    return 0


def _collectors(options: argparse.Namespace, config: RunConfig) -> AbstractContextManager[StartCollector]:
    """Return what starts the run's collectors, where the options say.

    Raises:
        UserError: a cluster is given and not used, or there is no such cluster.
    """
    if options.engine == "local":
        if options.address:
            raise UserError("--address is that of a cluster: give --engine ray, too.")
        from worldmodels.training.collectors.collector_process import CollectorProcess

        return nullcontext(CollectorProcess)
    if not config.training.collectors:
        raise UserError(
            "--engine ray is where collectors run, and training.collectors is 0: the learner collects itself. Give "
            "training.collectors=1 or more."
        )
    collectors: AbstractContextManager[StartCollector] = cluster_module("collectors").on_cluster(options.address)
    return collectors


def add_config(commands: argparse._SubParsersAction) -> None:
    """Add the command that prints configurations."""
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
    from worldmodels.config.show import show_config, show_difference
    from worldmodels.training.launch import DEFAULT_PRESETS

    if options.diff and options.words:
        raise UserError(f"--diff compares two configurations; received '{options.words[0]}' besides.")
    if options.diff:
        print(show_difference(*options.diff))
        return
    names = [word for word in options.words if "=" not in word]
    overrides = [word for word in options.words if "=" in word]
    print(show_config(names or DEFAULT_PRESETS, overrides), end="")
