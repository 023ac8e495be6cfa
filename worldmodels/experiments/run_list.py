"""Lists runs with their kinds, state, newest figures and size, without TensorFlow."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from datetime import datetime
from pathlib import Path
from typing import NamedTuple

from worldmodels.analysis.runs.folders import Settings, read_settings
from worldmodels.core.errors import RunError, UserError
from worldmodels.core.files.run_dir import RunDir
from worldmodels.core.output import gigabytes, print_text
from worldmodels.experiments.grid_job import last_records
from worldmodels.experiments.run_report import all_runs, run_condition
from worldmodels.telemetry.display import number

COLUMNS = ("state", "steps", "return", "size", "last change", "model", "agent", "game", "run")
NUMBERS = ("steps", "return", "size")
"""Columns whose texts are aligned to the right."""


class Listed(NamedTuple):
    """A row of the list: a run and its condition."""

    path: Path
    settings: Settings
    """Its configuration by full key; empty if it cannot be read."""
    state: str
    step: int | None
    """Environment steps of the newest record; None without one."""
    last_return: float | None
    size: int
    """Bytes of its files."""
    changed: float
    """Seconds since 1970 at which a file of it last changed; 0 without a file."""

    def cells(self, top: Path) -> Sequence[str]:
        """Return the texts of the row, with the path from the folder `top`."""
        kinds = [self.settings.get(key, "-") for key in ("model.kind", "agent.kind", "env.game")]
        step = "-" if self.step is None else f"{self.step:,}"
        last = "-" if self.last_return is None else number(self.last_return)
        when = datetime.fromtimestamp(self.changed).strftime("%Y-%m-%d %H:%M") if self.changed else "-"
        return self.state, step, last, gigabytes(self.size), when, *kinds, os.path.relpath(self.path, top)


def print_runs(folder: Path | str) -> None:
    """Print the runs in and below a folder, the last changed first.

    Raises:
        RunError: there is no run.
    """
    runs = listed_runs(folder)
    rows = [COLUMNS, *(run.cells(Path(folder)) for run in runs)]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    sides = [str.rjust if name in NUMBERS else str.ljust for name in COLUMNS]
    for row in rows:
        print_text("  ".join(side(cell, width) for side, cell, width in zip(sides, row, widths, strict=True)).rstrip())
    print_text(f"{len(runs)} run{'s' * (len(runs) != 1)}, {gigabytes(sum(run.size for run in runs))}")


def listed_runs(folder: Path | str) -> list[Listed]:
    """Return the runs in and below a folder, the last changed first; raises as `print_runs`."""
    if not Path(folder).is_dir():
        raise RunError(f"There is no folder '{folder}' to look for runs in. Name one: worldmodels list runs FOLDER.")
    found = [_listed(run) for run in all_runs([folder])]
    if not found:
        raise RunError(f"There is no run in '{folder}'. worldmodels train --logdir {Path(folder) / 'NAME'} makes one.")
    return sorted(found, key=lambda run: -run.changed)


def _listed(run: Path) -> Listed:
    step, last_return = last_records(RunDir(run).metrics)
    try:
        settings = read_settings(run)
    except (UserError, OSError):
        settings = {}
    files = list(file_states(run))
    size, changed = sum(file.st_size for file in files), max((file.st_mtime for file in files), default=0.0)
    return Listed(run, settings, run_condition(run).state, step, last_return, size, changed)


def file_states(path: Path) -> Iterator[os.stat_result]:
    """Yield the state of every file below a folder; files that vanish meanwhile are left out."""
    folders = [path]
    while folders:
        try:
            inside = list(os.scandir(folders.pop()))
        except OSError:
            continue
        for entry in inside:
            if entry.is_dir(follow_symlinks=False):
                folders.append(Path(entry.path))
            else:
                try:
                    yield entry.stat(follow_symlinks=False)
                except OSError:
                    continue
