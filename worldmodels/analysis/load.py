"""The metrics that a run recorded, as arrays."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from worldmodels.core.errors import RunError, UserError
from worldmodels.core.lookup import unknown


class Series(NamedTuple):
    """A recorded value over a run."""

    steps: npt.NDArray[np.int64]
    """(n,), real environment steps or another counter, increasing."""
    values: npt.NDArray[np.float64]
    """(n,)."""


def load_metrics(path: Path | str, x: str = "step") -> dict[str, Series]:
    """Return all numbers in the `metrics.jsonl` of a run folder, by name, sorted by name.

    Args:
        x: the counter that they are a function of: real environment steps, or a recorded one such as `model/updates`
            where much is learned between two steps.

    A last line that is torn (the run is being written, or was killed) is left out.

    Raises RunError where there is nothing to read, or where a line in the middle is damaged; UserError where no line
    has the counter.
    """
    file = Path(path) / "metrics.jsonl"
    if not file.is_file():
        raise RunError(f"There are no metrics in '{path}': '{file}' is missing. A run folder holds one.")
    found: dict[str, list[tuple[int, float]]] = {}
    records = _records(file)
    if records and not any(x in record for record in records):
        raise UserError(f"In '{path}': {unknown('counter', x, sorted(set().union(*records)))}")
    for record in records:
        if x not in record:
            continue
        step = int(record[x])
        del record["step"]
        for name, value in record.items():
            if isinstance(value, (int, float)):
                found.setdefault(name, []).append((step, float(value)))
    return {name: _series(points) for name, points in sorted(found.items())}


def load_series(path: Path | str, name: str, x: str = "step") -> Series:
    """Return one value of a run; UserError with the nearest name where it was not recorded."""
    metrics = load_metrics(path, x)
    if name not in metrics:
        raise UserError(f"In '{path}': {unknown('value', name, metrics)}")
    return metrics[name]


def run_label(path: Path | str) -> str:
    """Return a run's name in a legend: that of its folder."""
    return Path(path).resolve().name


def _series(points: list[tuple[int, float]]) -> Series:
    # Within one phase of a run many lines are of the same step: the latest counts.
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
