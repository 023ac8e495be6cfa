"""Reads the metrics that a run recorded as arrays, over a counter or over hours of training.

A record with `time/..._per_second` states how much was done per second of wall time since the record before,
evaluations and checkpoints included. So the seconds between two records are the growth of the counter divided by its
speed. The time between a stop and its continuation is in no record, and does not count.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from worldmodels.core.configuration.values import received
from worldmodels.core.errors import FileError, RunError, UserError, shortened, unknown
from worldmodels.core.files.json_files import parse_strict
from worldmodels.core.files.writing import read_regular

Record = dict[str, float | None]
LIMIT = 2**63
"""Counters are below this."""
TIME = "time"
"""The hours since training began, in place of a counter."""


class Series(NamedTuple):
    """A recorded value over a run."""

    steps: npt.NDArray[np.int64] | npt.NDArray[np.float64]
    """(n,), real environment steps, another counter, or hours (these float64), increasing."""
    values: npt.NDArray[np.float64]
    """(n,)."""


def load_metrics(path: Path | str, x: str = "step", names: Collection[str] | None = None) -> dict[str, Series]:
    """Return the numbers in the `metrics.jsonl` of a run folder, by name, sorted by name.

    Args:
        x: the counter of which they are a function: real environment steps, or a recorded one such as `model/updates`;
            or `time`, the hours of training (`analysis/runs/records.py`).
        names: the wanted ones, as far as they were recorded; None: all.

    A last line that is torn (the run is being written, or was killed) is left out.

    Raises:
        RunError: there is nothing to read.
        FileError: a line in the middle is damaged.
        UserError: no line has the counter, or a record of time.
    """
    file = Path(path) / "metrics.jsonl"
    found: dict[str, list[tuple[float, float]]] = {}
    try:
        records = _records(file)
    except FileNotFoundError:
        raise RunError(f"There are no metrics in '{path}': '{file}' is missing. A run folder holds one.") from None
    for at, record in zip(_positions(records, x, path), records, strict=True):
        if at is None:
            continue
        for name in record if names is None else record.keys() & names:
            value = record[name]
            if value is not None and name != "step":
                found.setdefault(name, []).append((at, float(value)))
    kind: type = np.float64 if x == TIME else np.int64
    return {name: _series(points, kind) for name, points in sorted(found.items())}


def load_series(path: Path | str, name: str, x: str = "step") -> Series:
    """Return one value of a run; UserError with the nearest name where it was not recorded."""
    metrics = load_metrics(path, x)
    if name not in metrics:
        raise unknown_value(path, name, metrics)
    return metrics[name]


def unknown_value(path: Path | str, name: str, metrics: Collection[str]) -> UserError:
    """Return the error that a run has not recorded a value, with the nearest of those that it has."""
    return UserError(f"In '{path}': {unknown('value', name, metrics)}")


def run_label(path: Path | str) -> str:
    """Return a run's name in a legend: that of its folder."""
    return Path(path).resolve().name


def _positions(records: Sequence[Record], x: str, path: Path | str) -> Sequence[float | None]:
    """Return where each record stands, None for one without the counter."""
    if x == TIME:
        hours = elapsed_hours(records)
        if records and not hours:
            raise UserError(f"In '{path}' no record has a speed, so the hours of training are unknown.")
        return hours
    if records and not any(x in record for record in records):
        raise UserError(f"In '{path}': {unknown('counter', x, sorted(set().union(*records)))}")
    return [None if (at := record.get(x)) is None or abs(at) >= LIMIT else int(at) for record in records]


def _series(points: list[tuple[float, float]], kind: type) -> Series:
    # Within one phase of a run many lines are of the same step: the latest counts.
    latest = dict(points)
    steps = sorted(latest)
    return Series(np.array(steps, kind), np.array([latest[step] for step in steps], np.float64))


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


_SPEEDS = {
    "time/env_steps_per_second": ("step",),
    "time/updates_per_second": ("model/updates", "policy/updates"),
    "time/policy_updates_per_second": ("policy/updates",),
}
"""The counters whose growth a speed measures: the first of them that a run has."""


def elapsed_hours(records: Sequence[Mapping[str, float | None]]) -> list[float]:
    """Return the hours of training at each record, in their order; nothing where no record has a speed.

    Records without a speed, of evaluations between two others for example, stand in proportion to their steps.
    """
    seconds, before, known = 0.0, dict[str, float](), dict[int, float]()
    for index, record in enumerate(records):
        taken = _seconds_since(record, before)
        if taken is not None:
            seconds += taken
            known[index] = seconds / 3600
            before = {name: value for name, value in record.items() if value is not None}
    if not known:
        return []
    steps = [float(record["step"] or 0) for record in records]
    between = np.interp(steps, [0, *(steps[index] for index in known)], [0, *known.values()])
    return [known.get(index, float(hours)) for index, hours in enumerate(between)]


def _seconds_since(record: Mapping[str, float | None], before: Mapping[str, float]) -> float | None:
    """Return the seconds between two records; None where no speed tells them, because nothing grew for example."""
    for name, counters in _SPEEDS.items():
        speed, counter = record.get(name), next((counter for counter in counters if counter in record), None)
        if speed is None or speed <= 0 or counter is None or (now := record[counter]) is None:
            continue
        seconds = (now - before.get(counter, 0)) / speed
        if 0 < seconds < math.inf:
            return seconds
    return None
