"""Defines the panels of a picture: lines, levels, the range of values shown, and all of it as a table in CSV."""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

from worldmodels.analysis.runs.records import Series
from worldmodels.analysis.statistics.bootstrap import moving_average
from worldmodels.analysis.statistics.group_curve import ESTIMATORS, GroupCurve, Numbers, group_curve
from worldmodels.core.errors import UserError, unknown
from worldmodels.core.files.writing import make_folder, write_atomic


class CurveOptions(NamedTuple):
    """A way to make curves of records."""

    x: str = "step"
    """A counter, or `time`; see `load_metrics`."""
    smooth: int | None = None
    """Records that each point averages, itself and those before; by default an eighth of the longest run's."""
    estimator: str = "mean"
    """A key of `ESTIMATORS`, over the runs of a group."""
    limits: tuple[float, float] = (-math.inf, math.inf)
    """The first and the last position that are shown."""


DEFAULT = CurveOptions()


class Line(NamedTuple):
    """One value of one group."""

    group: int
    """The group's number, from 0; its colour in every panel."""
    name: str
    value: str
    """The recorded name of the value."""
    curve: GroupCurve
    runs: int
    """Runs that have the value."""
    raw: Series | None
    """The values of a single run before they were smoothed; None where they were not, or come from several runs."""
    beside: bool = False
    """Drawn dashed, to compare with."""


class Level(NamedTuple):
    """A baseline that does not change: a dashed line across a panel."""

    name: str
    y: float


class CurvePanel(NamedTuple):
    """The lines of all groups that belong together, for example those of one value."""

    title: str
    lines: list[Line]
    window: int
    """Records that each point averages."""
    levels: Sequence[Level] = ()


def check_options(options: CurveOptions) -> None:
    """Raise UserError where an option is out of range."""
    if options.smooth is not None and options.smooth < 1:
        raise UserError(f"Curves are smoothed over at least 1 record; received {options.smooth}.")
    if options.estimator not in ESTIMATORS:
        raise UserError(unknown("estimator", options.estimator, ESTIMATORS))
    low, high = options.limits
    if not low < high:
        raise UserError(f"The first position shown must be before the last; received {low:g} and {high:g}.")


def default_window(curves: Sequence[Series]) -> int:
    """Return the records that a point averages by default: an eighth of those of the longest curve, 1 at least."""
    return max(1, max(len(series.steps) for series in curves) // 8)


def smoothing_window(curves: Sequence[Series], smooth: int | None) -> int:
    """Return the records that a point averages: `smooth`, but no more than there are; by default an eighth of them."""
    return min(smooth, max(len(series.steps) for series in curves)) if smooth else default_window(curves)


def smoothed(series: Series, window: int) -> tuple[Numbers, Numbers]:
    """Return the positions of a run, and its values averaged over `window` records, float64 (n,)."""
    return series.steps.astype(float), moving_average(series.values, window)


def curve_line(index: int, name: str, value: str, runs: Sequence[Series], window: int, options: CurveOptions) -> Line:
    """Return the line of one group's runs, of which there is at least one."""
    low, high = options.limits
    curve = group_curve([smoothed(series, window) for series in runs], options.estimator).within(low, high)
    raw = None
    if len(runs) == 1 and window > 1:
        steps, values = runs[0]
        inside = (steps >= low) & (steps <= high)
        raw = Series(steps[inside], values[inside])
    return Line(index, name, value, curve, len(runs), raw)


def without_empty(panels: Sequence[CurvePanel], options: CurveOptions) -> list[CurvePanel]:
    """Return the panels and their lines that have points within the limits; UserError where there are none."""
    shown = [panel._replace(lines=[line for line in panel.lines if len(line.curve.x)]) for panel in panels]
    left = [panel for panel in shown if panel.lines]
    if not left:
        low, high = options.limits
        raise UserError(f"Nothing was recorded from {low:g} to {high:g} of '{options.x}'. Choose other limits.")
    return left


BAND_TAIL = 10
"""The percentage of points of bands that may be cut off at either end of a panel; else a few would flatten lines."""
BAND_ROOM = 0.5
"""The share of the height of everything else by which such points may yet widen a panel at either end."""
PAIR_REACH = 0.28
"""The share of the interval of two runs that counts: Student's is 9.0 times their standard deviation, of three 2.5."""


def band_reach(curve: GroupCurve) -> tuple[Numbers, Numbers]:
    """Return how far the band of a line counts for the range of a panel, (P,) each; NaN where there is none."""
    share = np.where(curve.runs == 2, PAIR_REACH, 1.0)
    return curve.estimate - share * (curve.estimate - curve.low), curve.estimate + share * (curve.high - curve.estimate)


def shown_range(
    needed: tuple[float, float], low: Numbers, high: Numbers, whole: tuple[float, float]
) -> tuple[float, float]:
    """Return the range of values that a panel shows: `whole`, cut where few points of the bands reach far.

    Args:
        needed: the range of the lines.
        low, high: the ends of all bands, (P,); NaN where there are none.
    """
    known = ~np.isnan(low)
    if not known.any():
        return whole
    bottom = min(needed[0], float(np.percentile(low[known], BAND_TAIL)))
    top = max(needed[1], float(np.percentile(high[known], 100 - BAND_TAIL)))
    room = BAND_ROOM * (top - bottom)
    return max(whole[0], bottom - room), min(whole[1], top + room)


COLUMNS = ("group", "value", "x", "estimate", "low", "high", "runs", "panel")


def curve_table(panels: Sequence[CurvePanel]) -> str:
    """Return every point of every line as CSV by RFC 4180, with a header; an end that there is not is empty."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\r\n")
    writer.writerow(COLUMNS)
    for panel in panels:
        for line in panel.lines:
            for x, estimate, low, high, runs in zip(*line.curve, strict=True):
                if runs:
                    numbers = [_number(value) for value in (x, estimate, low, high)]
                    writer.writerow([line.name, line.value, *numbers, int(runs), panel.title])
    return text.getvalue()


def save_table(panels: Sequence[CurvePanel], path: Path | str) -> Path:
    """Write the table beside the old one, then rename it; return its path."""
    path = Path(path)
    make_folder(path.parent)
    # Names of folders may hold what is no text.
    write_atomic(path, curve_table(panels).encode(errors="backslashreplace"))
    return path


def _number(value: float) -> str:
    """Return a number so that it reads back the same, whole ones without a point."""
    if math.isnan(value):
        return ""
    return str(int(value)) if float(value).is_integer() and abs(value) < 2**53 else repr(float(value))
