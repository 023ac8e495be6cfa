"""The metrics that a run recorded, as arrays."""

from __future__ import annotations

import math
from pathlib import Path
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from worldmodels.core.config_values import received
from worldmodels.core.errors import FileError, RunError, UserError
from worldmodels.core.files import read_regular
from worldmodels.core.json_files import parse_strict
from worldmodels.core.lookup import shortened, unknown

Record = dict[str, float | None]
LIMIT = 2**63
"""Counters are below this."""


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

    Raises:
        RunError: there is nothing to read.
        FileError: a line in the middle is damaged.
        UserError: no line has the counter.
    """
    file = Path(path) / "metrics.jsonl"
    found: dict[str, list[tuple[int, float]]] = {}
    try:
        records = _records(file)
    except FileNotFoundError:
        raise RunError(f"There are no metrics in '{path}': '{file}' is missing. A run folder holds one.") from None
    if records and not any(x in record for record in records):
        raise UserError(f"In '{path}': {unknown('counter', x, sorted(set().union(*records)))}")
    for record in records:
        at = record.get(x)
        if at is None or abs(at) >= LIMIT:
            continue
        for name, value in record.items():
            if value is not None and name != "step":
                found.setdefault(name, []).append((int(at), float(value)))
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


def _records(file: Path) -> list[Record]:
    lines = read_regular(file).split(b"\n")
    # What follows the last line break is torn or empty.
    return [_record(line, f"Line {number} of '{file}'") for number, line in enumerate(lines[:-1], start=1)]


def _record(line: bytes, where: str) -> Record:
    """Return the numbers of a line: finite, or None where there is no value."""
    record = parse_strict(line, where, non_finite=True)
    if not isinstance(record, dict):
        raise FileError(f"{where} must hold a JSON object, {{...}}; received {received(record)}.")
    step = record.get("step")
    if type(step) is not int or not 0 <= step < LIMIT:
        raise FileError(f"{where}: 'step' must be an integer from 0 to {LIMIT - 1}; received {received(step)}.")
    for name, value in record.items():
        if type(value) is float:
            if not math.isfinite(value):
                record[name] = None
        elif type(value) is str:
            record[name] = None  # a remark
        elif value is not None and type(value) is not int:
            raise FileError(f"{where}: '{shortened(name)}' takes a number or null; received {received(value)}.")
    return record
