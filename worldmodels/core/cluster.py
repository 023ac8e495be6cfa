"""Loads modules of `worldmodels.cluster` by name, so that work on one machine never imports that package."""

from __future__ import annotations

from importlib import import_module
from typing import Any

MODULES = {
    "engine": "worldmodels.cluster.ray_engine",
    "collectors": "worldmodels.cluster.ray_collector",
    "grid storage": "worldmodels.cluster.storage.grid_storage",
    "evaluation storage": "worldmodels.cluster.storage.grid_storage",
}
"""The modules that other packages use, by what they provide."""


def cluster_module(part: str) -> Any:
    """Import a module of `MODULES`.

    Raises:
        UserError: the module needs Ray, which is not installed.
    """
    return import_module(MODULES[part])
