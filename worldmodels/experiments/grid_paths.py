"""Finds runs by the folder or the file of their grid."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from pathlib import Path

from worldmodels.analysis.runs.folders import walk_folders
from worldmodels.core.configuration.presets import grid_names
from worldmodels.core.errors import RunError
from worldmodels.core.files.run_dir import RunDir
from worldmodels.experiments.grid import Grid, load_grid


def find_grids(paths: Sequence[Path | str]) -> dict[Path | str, Grid]:
    """Return the grids of all paths that are files or names of grids; an existing folder is no grid file.

    Raises:
        UserError: a file cannot be read, or no run of its grid has begun.
    """
    grids = {path: load_grid(path) for path in paths if _is_grid_file(path)}
    for path, grid in grids.items():
        if not grid.folder.is_dir():
            command = shlex.join(["worldmodels", "grid", str(path)])
            raise RunError(
                f"No run of the grid '{grid.name}' has begun: there is no folder '{grid.folder}'. "
                f"'{command}' trains it."
            )
    return grids


def begun_runs(path: Path | str) -> list[Path]:
    """Return the folders of all runs of a path: a run, or the folder or file of a grid.

    Raises:
        UserError: there is no run.
    """
    grids = find_grids([path])
    folder = grids[path].folder if path in grids else Path(path)
    if RunDir(folder).exists() or not folder.is_dir():
        return [RunDir.open(folder).path]
    return [run for run in walk_folders([folder]) if RunDir(run).exists()] or [RunDir.open(folder).path]


def _is_grid_file(path: Path | str) -> bool:
    return not Path(path).is_dir() and (Path(path).suffix in (".yaml", ".yml") or str(path) in grid_names())
