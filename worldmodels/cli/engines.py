"""The options for the place where the jobs of a command run: this machine or a cluster."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from worldmodels.core.cluster import cluster_module
from worldmodels.core.errors import UserError

if TYPE_CHECKING:
    from worldmodels.experiments.engines.api import Engine

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
    from worldmodels.experiments.engines.local import LocalEngine, core_shares

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
