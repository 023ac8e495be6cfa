"""What a run recorded, as arrays."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from worldmodels.core.errors import RunError, UserError
from worldmodels.core.lookup import unknown


class Series(NamedTuple):
    """One recorded value over a run."""

    steps: npt.NDArray[np.int64]
    """(n,), real environment steps, increasing."""
    values: npt.NDArray[np.float64]
    """(n,)."""


def load_metrics(path: Path | str) -> dict[str, Series]:
    """All numbers in the `metrics.jsonl` of a run folder, by name, sorted by name.

    A last line that is torn (the run is being written, or was killed) is left out.

    Raises RunError where there is nothing to read, or where a line in the middle is damaged.
    """
    file = Path(path) / "metrics.jsonl"
    if not file.is_file():
        raise RunError(f"There are no metrics in '{path}': '{file}' is missing. A run folder holds one.")
    found: dict[str, list[tuple[int, float]]] = {}
    for record in _records(file):
        step = int(record.pop("step"))
        for name, value in record.items():
            if isinstance(value, (int, float)):
                found.setdefault(name, []).append((step, float(value)))
    return {name: _series(points) for name, points in sorted(found.items())}


def load_series(path: Path | str, name: str) -> Series:
    """One value of a run; UserError with the nearest name where it was not recorded."""
    metrics = load_metrics(path)
    if name not in metrics:
        raise UserError(f"In '{path}': {unknown('value', name, metrics)}")
    return metrics[name]


def run_label(path: Path | str) -> str:
    """A run's name in a legend: that of its folder."""
    return Path(path).resolve().name


def _series(points: list[tuple[int, float]]) -> Series:
    # One step may have been written twice where a killed run went on: the later line counts.
    latest = dict(points)
    steps = sorted(latest)
    return Series(np.array(steps, np.int64), np.array([latest[step] for step in steps], np.float64))


def _records(file: Path) -> list[dict[str, Any]]:
    lines = file.read_text().split("\n")
    records = []
    for number, line in enumerate(lines[:-1], start=1):  # what follows the last line break is torn or empty
        try:
            record = json.loads(line)
            record["step"] = int(record["step"])
        except (ValueError, KeyError, TypeError) as error:
            raise RunError(f"Line {number} of '{file}' is damaged: {error}.") from error
        records.append(record)
    return records
