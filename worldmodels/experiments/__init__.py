"""Trains grids of runs: every combination of some values, each with several seeds."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from worldmodels.core.cluster import cluster_module
from worldmodels.experiments.engine import Engine, LocalEngine, core_shares
from worldmodels.experiments.grid import make_grid
from worldmodels.experiments.grid_training import GridOutcome, train_grid

__all__ = ["GridOutcome", "run_grid"]


def run_grid(
    grid: Mapping[str, Any],
    name: str,
    jobs: int = 1,
    retry: bool = False,
    engine: Engine | None = None,
    storage: str | None = None,
) -> GridOutcome:
    """Train a grid of runs, as `worldmodels grid` does from a file; the same call again continues it.

    Args:
        grid: the keys of such a file, for example `{"config": "debug", "vary": {"agent.horizon": [5, 10]}}`;
            docs/experiments.md describes them.
        name: stands in for the name of the file.
        jobs: the number of runs at once; the cores are divided evenly among them.
        retry: train the runs again that failed in an earlier call.
        engine: runs them in place of this machine; `worldmodels.cluster.ray_engine.RayEngine` uses a Ray cluster.
        storage: the address that holds the runs, s3://bucket/folder for example; the grid's folder holds copies.

    Returns:
        The runs that are done, that failed, and that were stopped; each has a `path`.

    Raises:
        UserError: the grid, one of its runs or the engine cannot be used; nothing was begun then.
    """
    made = make_grid(grid, name)
    kept = None if storage is None else cluster_module("grid storage").RemoteGridStorage(storage, made)
    return train_grid(made, engine or LocalEngine(core_shares(jobs)), retry, kept)
