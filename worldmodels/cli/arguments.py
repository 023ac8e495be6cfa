"""The arguments that several commands have in common.

The options for the place where the jobs of a command run: this machine or a cluster.
"""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from worldmodels.core.cluster import cluster_module
from worldmodels.core.errors import UserError

if TYPE_CHECKING:
    from worldmodels.experiments.engine import Engine


def add_run(command: argparse.ArgumentParser) -> None:
    """Add the run to which a command applies."""
    command.add_argument("path", metavar="RUN", help="the run's folder, a pack (FILE.world) or gallery:NAME")


def add_checkpoint(command: argparse.ArgumentParser) -> None:
    """Add the checkpoint that is loaded."""
    command.add_argument("--checkpoint", type=int, metavar="STEP", help="load this checkpoint (default: the newest)")


def add_seed(command: argparse.ArgumentParser) -> None:
    """Add the seed of everything random in a command."""
    command.add_argument("--seed", type=int, default=0, help="the seed of everything random (default: %(default)s)")


def add_levels(command: argparse.ArgumentParser, more: str = "") -> None:
    """Add the set of levels that is played.

    Args:
        more: further choices, with their meaning.
    """
    command.add_argument(
        "--levels",
        default="train",
        metavar="LEVELS",
        help="train: the levels on which the run was trained; test: all others; unseen: the others whose layout is "
        f"none of theirs{more} (default: %(default)s)",
    )


def add_episodes(command: argparse.ArgumentParser, each: str) -> None:
    """Add the numbers of the episodes that are played in each cell of an evaluation."""
    command.add_argument("--episodes", type=int, help=f"episodes for each {each} (default: the run's own)")
    command.add_argument("--max-steps", type=int, help="steps after which an episode is cut and reported as unfinished")


def add_windows(command: argparse.ArgumentParser) -> None:
    """Add the sizes of the recorded sequences on which a world model is measured."""
    command.add_argument("--context", type=int, help="frames that the world model sees before it predicts alone")
    command.add_argument("--horizon", type=int, help="steps that the world model predicts alone")
    command.add_argument("--windows", type=int, help="recorded sequences over which the model's errors are averaged")


def given(options: argparse.Namespace, *names: str) -> dict[str, object]:
    """Return those of the named options that the command line gives."""
    return {name: getattr(options, name) for name in names if getattr(options, name) is not None}


def add_grouping(command: argparse.ArgumentParser, line: str, path: str) -> None:
    """Add which runs are shown, how they are grouped, and the names of the groups.

    Args:
        line: the word for a group, "line" for example.
        path: the word for a given path, "RUN" for example.
    """
    command.add_argument(
        "--group",
        choices=("configuration", "path"),
        default="configuration",
        help=f"make a {line} of all runs with one configuration, or of all runs below each {path} (default: "
        "%(default)s)",
    )
    command.add_argument(
        "--legend",
        nargs="+",
        default=[],
        metavar="NAME",
        help=f"a name for each {line}, in their order; or TEXT:NAME for the {line} whose own name contains the text",
    )
    command.add_argument(
        "--select", nargs="+", default=[], metavar="TEXT", help="use only runs whose path contains all of these"
    )
    command.add_argument(
        "--exclude", nargs="+", default=[], metavar="TEXT", help="use no run whose path contains one of these"
    )


CLUSTER = ("address", "cores_per_run", "memory_per_run", "gpus_per_run")
"""The options that only a cluster has."""


def add_place(command: argparse.ArgumentParser, help: str) -> argparse._ArgumentGroup:
    """Add the engine and the address of a cluster; return their group.

    Args:
        help: the engines, with the jobs that each runs in this command.
    """
    group = command.add_argument_group("a cluster (docs/scale.md)")
    group.add_argument("--engine", choices=["local", "ray"], default="local", help=help)
    group.add_argument(
        "--address", metavar="HOST:PORT", help="the cluster's address (default: the cluster of this machine)"
    )
    return group


def add_engine(command: argparse.ArgumentParser) -> None:
    """Add the engine, and the share of a cluster that each run takes."""
    group = add_place(command, "local: processes of this machine; ray: a Ray cluster")
    group.add_argument("--cores-per-run", type=int, metavar="N", help="cores of one node for each run (default: 1)")
    group.add_argument(
        "--memory-per-run", type=float, metavar="GIB", help="memory reserved for each run (default: none)"
    )
    group.add_argument("--gpus-per-run", type=int, metavar="N", help="GPUs for each run (default: 0)")


def add_storage(command: argparse.ArgumentParser) -> argparse._ArgumentGroup:
    """Add the storage of runs without a shared folder; return the group of such options."""
    group = command.add_argument_group("a storage (docs/scale.md)")
    group.add_argument(
        "--storage",
        metavar="URL",
        help="keep the runs at this address, for example s3://bucket/folder, instead of in a folder that all machines "
        "share; copies come into the grid's folder here",
    )
    return group


def engine_of(options: argparse.Namespace) -> Engine:
    """Return the engine that the options ask for.

    Raises:
        UserError: an option of a cluster is given without one, a number is out of range, or Ray is not installed.
    """
    from worldmodels.experiments.engine import LocalEngine, core_shares

    given = {name: getattr(options, name) for name in CLUSTER if getattr(options, name) is not None}
    if options.engine == "ray":
        ray = cluster_module("engine")
        resources = {name.removesuffix("_per_run"): value for name, value in given.items() if name != "address"}
        shared = options.storage is None
        engine: Engine = ray.RayEngine(ray.RunResources(**resources), options.address, options.jobs, shared)
        return engine
    if given:
        flag = "--" + next(iter(given)).replace("_", "-")
        raise UserError(f"{flag} is for a cluster: give --engine ray too, or only --jobs for this machine.")
    return LocalEngine(core_shares(1 if options.jobs is None else options.jobs))
