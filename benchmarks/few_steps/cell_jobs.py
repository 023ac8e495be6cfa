"""Trains a cell, measures it and keeps its result.

Under the folder of runs stand the run itself, `CELL/`, its log `CELL.log`, and `CELL.json` with what training has taken
so far: beside the run, because a new run wants an empty folder. The result is kept in the benchmark's archive, and
outlives them.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

from archive import Archive

from few_steps.cells import Cell, without_gone
from worldmodels.core.files.writing import write_atomic
from worldmodels.core.processor import this_processor
from worldmodels.experiments.engine import Used

BENCHMARKS = Path(__file__).parents[1]


class Place(NamedTuple):
    """The folder of a benchmark's runs, the archive of their results, and the script that measures a run."""

    runs: Path
    results: Archive
    measure: Path = Path(__file__).with_name("measure.py")

    def result(self, cell: Cell) -> dict[str, Any] | None:
        """Return the result of a cell, or None where there is none with the settings that it has now.

        The same settings are the same run, so it may be that of another experiment.
        """
        kept = self.results.cells()
        for found in (kept.get(cell.name, {}), *kept.values()):
            if without_gone(found.get("settings", {})) == cell.settings:
                return {**found, "experiment": cell.experiment.name, "learner": cell.learner}
        return None


class CellJob:
    """Trains a cell, or goes on with it, and measures it."""

    def __init__(self, cell: Cell, place: Place):
        self.name = cell.name
        self._cell, self._place = cell, place
        self._run = place.runs / cell.name
        self.log = _with_suffix(place.runs, cell, ".log")
        self._progress = _with_suffix(place.runs, cell, ".json")
        self._measured = _with_suffix(place.runs, cell, ".measured")

    def obstacle(self) -> None:
        return None

    def command(self) -> Sequence[str] | None:
        if self._place.result(self._cell):
            return None
        if self._trained():
            return [sys.executable, str(self._place.measure), str(self._run), str(self._measured)]
        if not self._run.is_dir():
            self._progress.unlink(missing_ok=True)  # it tells of a run that is gone
        overrides = [f"{key}={json.dumps(value)}" for key, value in self._cell.overrides.items()]
        train = [*self._program(), "train", "--config", *self._cell.preset.split(), *overrides]
        return [sys.executable, *train, "--logdir", str(self._run)]

    def ended(self, status: int, used: Used) -> int:
        if not self._trained():
            self._add(used, trained=status == 0)
        elif status == 0:
            self._keep(_read(self._measured))
            self._measured.unlink()
        return status

    def summary(self) -> str:
        result = self._place.result(self._cell) or {}
        returns = result["returns"]
        if "policy" in returns:
            return f"{returns['policy']['mean']:.2f}, the random policy {returns['random']['mean']:.2f}"
        train, test = (returns[levels]["policy"]["mean"] for levels in ("train", "test"))
        return f"return {train:.2f} on training levels, {test:.2f} on test levels"

    def _program(self) -> Sequence[str]:
        """Return the arguments of Python in front of those of `worldmodels`."""
        if not self._cell.trainer:
            return ["-m", "worldmodels"]
        script, *arguments = self._cell.trainer.split()
        return [str(BENCHMARKS / script), *arguments]

    def _trained(self) -> bool:
        """Return whether the run that is there has come to its end, with these settings."""
        progress = _read(self._progress)
        return bool(self._run.is_dir() and progress.get("trained") and progress["settings"] == self._cell.settings)

    def _add(self, used: Used, trained: bool) -> None:
        """Add what a process of training took to what those before it did."""
        before = _read(self._progress)
        sums = {name: before.get(name, 0.0) + seconds for name, seconds in used._asdict().items()}
        _write(self._progress, {"trained": trained, **sums, "settings": self._cell.settings})

    def _keep(self, measured: dict[str, Any]) -> None:
        cell, progress = self._cell, _read(self._progress)
        result = {
            "experiment": cell.experiment.name,
            "game": cell.game,
            "learner": cell.learner,
            "seed": cell.seed,
            "processor": str(this_processor()),
            **{name: progress[name] for name in Used._fields},
            **measured,
            "settings": cell.settings,
        }
        self._place.results.keep(cell.name, result)


def _with_suffix(folder: Path, cell: Cell, suffix: str) -> Path:
    return folder / f"{cell.name}{suffix}"


def _read(path: Path) -> dict[str, Any]:
    return json.loads(path.read_text()) if path.is_file() else {}


def _write(path: Path, tree: dict[str, Any]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    write_atomic(path, json.dumps(tree, indent=2, allow_nan=False) + "\n")
