"""Computes means with intervals of independent numbers, returns of episodes for example."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

Values: TypeAlias = Sequence[float] | npt.NDArray[np.float64]


class Estimate(NamedTuple):
    """A mean, or a difference of means, and how well it is known. What too few numbers leave open is NaN."""

    n: int
    """Numbers that went in; of a difference, those of both samples."""
    mean: float
    standard_error: float
    low: float
    """Lower end of the interval."""
    high: float
    """Upper end of the interval."""


def estimate(values: Values, confidence: float = 0.95) -> Estimate:
    """Return the mean with its standard error and Student's t interval."""
    sample = np.asarray(values, np.float64)
    n = len(sample)
    if n < 2:
        return Estimate(n, float(sample[0]) if n else math.nan, math.nan, math.nan, math.nan)
    return _interval(n, float(sample.mean()), float(sample.std(ddof=1)) / math.sqrt(n), n - 1, confidence)


def difference(values: Values, baseline: Values, confidence: float = 0.95) -> Estimate:
    """Return the mean of `values` less that of `baseline`, with Welch's interval for unequal variances (Welch, 1947).

    The samples count as independent. Where they are positively correlated, because both were played on the same
    levels say, the true interval is narrower than this one.
    """
    a, b = np.asarray(values, np.float64), np.asarray(baseline, np.float64)
    n = len(a) + len(b)
    if not len(a) or not len(b):
        return Estimate(n, math.nan, math.nan, math.nan, math.nan)
    mean = float(a.mean() - b.mean())
    if len(a) < 2 or len(b) < 2:
        return Estimate(n, mean, math.nan, math.nan, math.nan)
    parts = [float(sample.var(ddof=1)) / len(sample) for sample in (a, b)]
    variance = sum(parts)
    freedom = math.inf
    if variance > 0:
        freedom = variance**2 / sum(part**2 / (len(x) - 1) for part, x in zip(parts, (a, b), strict=True))
    return _interval(n, mean, math.sqrt(variance), freedom, confidence)


def moving_average(values: Values, window: int) -> npt.NDArray[np.float64]:
    """Return each value averaged with the `window - 1` before it, or as many as there are, float64 (n,)."""
    padded = np.concatenate([[0.0], np.cumsum(np.asarray(values, np.float64))])
    stop = np.arange(1, len(padded))
    start = np.maximum(stop - window, 0)
    mean: npt.NDArray[np.float64] = (padded[stop] - padded[start]) / (stop - start)
    return mean


@lru_cache(maxsize=1024)
def t_quantile(freedom: float, confidence: float) -> float:
    """Return the t with which Student's distribution has the mass `confidence` between -t and t.

    With t = sqrt(freedom) tan(angle), that mass is the integral of cos(angle)**(freedom - 1) from 0, divided by the
    integral up to pi / 2. The gamma function gives the latter. The angle is found by halving.
    """
    freedom = min(freedom, 1e8)  # from there on it is the normal distribution
    nodes, weights = np.polynomial.legendre.leggauss(64)
    log_whole = math.log(math.pi) / 2 - math.log(2) + math.lgamma(freedom / 2) - math.lgamma((freedom + 1) / 2)
    low, high = 0.0, min(math.pi / 2, 40 / math.sqrt(freedom))
    for _ in range(100):
        angle = (low + high) / 2
        inside = np.log(np.cos(angle * (nodes + 1) / 2)) * (freedom - 1) - log_whole
        mass = angle / 2 * float(weights @ np.exp(inside))
        low, high = (angle, high) if mass < confidence else (low, angle)
    return math.sqrt(freedom) * math.tan((low + high) / 2)


def _interval(n: int, mean: float, standard_error: float, freedom: float, confidence: float) -> Estimate:
    half = standard_error * t_quantile(freedom, confidence) if standard_error > 0 else 0.0
    return Estimate(n, mean, standard_error, mean - half, mean + half)
