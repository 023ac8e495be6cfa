"""Keeps the cells of a benchmark in one file: a JSON object on each line, with its name and its provenance.

A benchmark keeps each cell as soon as it is measured. So one that was stopped goes on with the cells that are missing.
"""

from __future__ import annotations

import fcntl
import json
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

from provenance import made_by

from worldmodels.core.files.writing import write_atomic


class Archive(NamedTuple):
    """The cells of a file, which need not exist yet."""

    path: Path

    def cells(self) -> Mapping[str, dict[str, Any]]:
        """Return all cells by name, in the order of their names."""
        if not self.path.exists():
            return {}
        status = self.path.stat()
        return _read(self.path, status.st_mtime_ns, status.st_size)

    def keep(self, name: str, cell: Mapping[str, Any]) -> None:
        """Add a cell, or replace the cell of that name; other processes and threads may do the same meanwhile."""
        with _locked(self.path.parent):
            kept = {**self.cells(), name: {**cell, "made_by": made_by()}}
            write_cells(self.path, kept)


def write_cells(path: Path, cells: Mapping[str, Mapping[str, Any]]) -> None:
    """Write an archive of cells, which have their provenance already."""
    lines = (json.dumps({"cell": name, **cell}, allow_nan=False) for name, cell in sorted(cells.items()))
    write_atomic(path, "".join(f"{line}\n" for line in lines))


@lru_cache(maxsize=8)
def _read(path: Path, _modified: int, _size: int) -> dict[str, dict[str, Any]]:
    cells = [json.loads(line) for line in path.read_text().splitlines()]
    return {cell.pop("cell"): cell for cell in cells}


@contextmanager
def _locked(folder: Path) -> Iterator[None]:
    """Hold the only lock on a folder, which is made if it is missing."""
    folder.mkdir(parents=True, exist_ok=True)
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)
