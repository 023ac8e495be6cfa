"""Makes one curve of several runs: an estimate at each position, with its 95 % interval over runs."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from worldmodels.analysis.statistics.bootstrap import bootstrap_bands, interquartile_mean, median, t_quantile

Numbers: TypeAlias = npt.NDArray[np.float64]
POINTS = 1_000
"""Positions of a common grid, where runs have more between them: more than a picture shows."""
CONFIDENCE = 0.95
RAGGED = 0.05
"""The share of a curve's length by which its runs' ends may differ as if they did not."""


class GroupCurve(NamedTuple):
    """A line over a group of runs, and the band around it."""

    x: Numbers
    """(P,), increasing."""
    estimate: Numbers
    """(P,)."""
    low: Numbers
    """(P,), the lower end of the interval; NaN where there is none: of one run, of a minimum, where one is missing."""
    high: Numbers
    """(P,), the upper end."""
    runs: npt.NDArray[np.int64]
    """(P,), the runs that reach over each position."""

    def within(self, low: float, high: float) -> GroupCurve:
        """Return the part from one position to another."""
        inside = (self.x >= low) & (self.x <= high)
        x, estimate, lower, upper = (part[inside] for part in (self.x, self.estimate, self.low, self.high))
        return GroupCurve(x, estimate, lower, upper, self.runs[inside])


Band: TypeAlias = tuple[Numbers, Numbers, Numbers]
"""An estimate with the ends of its interval, (P,) each."""


def group_curve(curves: Sequence[tuple[Numbers, Numbers]], estimator: str = "mean") -> GroupCurve:
    """Return the curve of a group. No run counts before its first or after its last position.

    The curve reaches as far as half of the runs do, and its interval as far as all of them. With fewer runs the
    estimate may change because the runs change. Where the ends of runs are nearly the same, within 5 % of the whole,
    the curve ends where all of them are there.

    Args:
        curves: positions (n,), increasing, and values (n,) of each run.
        estimator: a key of `ESTIMATORS`.
    """
    x = common_positions([positions for positions, _ in curves])
    values = np.stack([interpolate(x, *curve) for curve in curves])
    there = ~np.isnan(values)
    kept = _kept(x, there.sum(0), len(curves))
    x, values, there = x[kept], values[:, kept], there[:, kept]
    estimate, low, high = (np.full(len(x), math.nan) for _ in range(3))
    for members, places in _segments(there):
        band = ESTIMATORS[estimator].band(values[np.ix_(members, places)])
        estimate[places] = band[0]
        if len(members) == len(curves):
            low[places], high[places] = band[1:]
    return GroupCurve(x, estimate, low, high, there.sum(0))


def common_positions(positions: Sequence[Numbers]) -> Numbers:
    """Return the grid on which curves meet, increasing: all their positions.

    If these are more than `POINTS`, and more than those of the longest curve, the grid has `POINTS` even steps between
    the first and the last. It also has the ends of each curve.
    """
    every = np.unique(np.concatenate(positions))
    if len(every) <= max(POINTS, *map(len, positions)):
        return every
    ends = [end for own in positions for end in (own[0], own[-1])]
    return np.union1d(np.linspace(every[0], every[-1], POINTS), ends)


def interpolate(x: Numbers, positions: Numbers, values: Numbers) -> Numbers:
    """Return a curve at the positions x, linear between its own; NaN before its first and after its last."""
    return np.interp(x, positions, values, left=math.nan, right=math.nan)


def mean_band(values: Numbers) -> Band:
    """Return the mean of runs (S, P) at each point with Student's t interval; NaN for ends of a single run."""
    runs, mean = len(values), values.mean(0)
    if runs < 2:
        return mean, *_no_ends(mean)
    half = values.std(0, ddof=1) / math.sqrt(runs) * t_quantile(runs - 1, CONFIDENCE)
    return mean, mean - half, mean + half


def median_band(values: Numbers) -> Band:
    """Return the median of runs (S, P) with its bootstrap interval."""
    return _bootstrapped(median, values)


def interquartile_band(values: Numbers) -> Band:
    """Return the interquartile mean of runs (S, P) with its bootstrap interval."""
    return _bootstrapped(interquartile_mean, values)


def lowest(values: Numbers) -> Band:
    """Return the lowest of runs (S, P), which has no interval."""
    return values.min(0), *_no_ends(values[0])


def highest(values: Numbers) -> Band:
    """Return the highest of runs (S, P), which has no interval."""
    return values.max(0), *_no_ends(values[0])


class Estimator(NamedTuple):
    """An estimator makes one curve of the runs of a group."""

    band: Callable[[Numbers], Band]
    """Makes the curve and both ends of its interval, (P,) each, of values (S, P)."""
    words: str
    """The words of a picture for it."""


ESTIMATORS = {
    "mean": Estimator(mean_band, "mean over seeds, 95 % interval"),
    "median": Estimator(median_band, "median over seeds, 95 % interval"),
    "min": Estimator(lowest, "lowest over seeds"),
    "max": Estimator(highest, "highest over seeds"),
    "iqm": Estimator(interquartile_band, "interquartile mean over seeds, 95 % interval"),
}


def _kept(x: Numbers, there: npt.NDArray[np.int64], runs: int) -> npt.NDArray[np.bool_]:
    """Return the positions of a curve, by how many of its runs are there."""
    kept: npt.NDArray[np.bool_] = 2 * there >= runs
    together = x[there == runs]
    if len(together):
        spare = RAGGED * (x[-1] - x[0])
        reach = x[kept]
        if together[0] - reach[0] <= spare:
            kept &= x >= together[0]
        if reach[-1] - together[-1] <= spare:
            kept &= x <= together[-1]
    return kept


def _bootstrapped(statistic: Callable[..., Numbers], values: Numbers) -> Band:
    curves = values.T
    estimate = statistic([curves])
    return estimate, *bootstrap_bands(statistic, [curves], confidence=CONFIDENCE)


def _no_ends(values: Numbers) -> tuple[Numbers, Numbers]:
    return np.full_like(values, math.nan), np.full_like(values, math.nan)


def _segments(present: npt.NDArray[np.bool_]) -> Iterator[tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]]:
    """Yield the runs that are there together, and the points (of (S, P)) where it is these; each point has some."""
    kinds, kind_of = np.unique(present.T, axis=0, return_inverse=True)
    for index, kind in enumerate(kinds):
        if kind.any():
            yield np.flatnonzero(kind), np.flatnonzero(kind_of.ravel() == index)
