"""Computes statistics of learners' scores over several tasks, each with some runs, and bootstrap intervals.

The figures and their intervals are those of Agarwal et al. (2021, arXiv:2108.13264; the `rliable` library): few runs on
several tasks tell more together than task by task. A task is a stratum: its runs are resampled among themselves.

Computes means with intervals of independent numbers, returns of episodes for example.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from worldmodels.core.seeding import Streams

Scores: TypeAlias = npt.NDArray[np.float64]
Strata: TypeAlias = Sequence[Scores]
"""The scores of one learner: float64 (..., S) for each task, whose number S of runs may differ from the others'."""
Statistic: TypeAlias = Callable[..., Scores]
"""A function of the strata of one learner or more that returns a number for each index of the leading axes."""


_DRAWN_AT_ONCE = 4_000_000
"""Numbers that are drawn together, 8 bytes each."""


class BootstrapInterval(NamedTuple):
    """A statistic, and the percentiles between which it lies when the runs are resampled."""

    value: float
    low: float
    """The lower end of the interval; NaN where no task has two runs."""
    high: float
    """The upper end of the interval."""


def bootstrap(
    statistic: Statistic, *learners: Strata, resamples: int = 5_000, confidence: float = 0.95, seed: int = 0
) -> BootstrapInterval:
    """Return a statistic of one learner, or of several, with its stratified percentile bootstrap interval.

    Args:
        learners: the scores of each, (S,) for each task; the runs of different learners count as independent.
        resamples: times that the runs of each task are drawn, as many as there are and with replacement.
        seed: of these draws; equal seeds give equal intervals.
    """
    generator = Streams(seed).generator("bootstrap")
    value = float(statistic(*learners))
    if max((len(scores) for strata in learners for scores in strata), default=0) < 2:
        return BootstrapInterval(value, math.nan, math.nan)
    drawn = [[_resample(scores, resamples, generator) for scores in strata] for strata in learners]
    tail = 50 * (1 - confidence)
    low, high = np.percentile(statistic(*drawn), [tail, 100 - tail])
    return BootstrapInterval(value, float(low), float(high))


def bootstrap_bands(
    statistic: Statistic, strata: Strata, resamples: int = 1_000, confidence: float = 0.95, seed: int = 0
) -> tuple[Scores, Scores]:
    """Return the ends (P,) of the percentile bootstrap interval of a statistic at each point of curves.

    The curves are (P, S) for each task. The ends are NaN if no task has two runs.

    Whole curves are drawn, the same ones for all points; `statistic` is as that of `bootstrap`, for one learner.
    """
    length, runs = len(strata[0]), sum(curves.shape[-1] for curves in strata)
    if runs == len(strata):
        return np.full(length, math.nan), np.full(length, math.nan)
    points = max(1, _DRAWN_AT_ONCE // (resamples * runs))
    tail = 50 * (1 - confidence)
    ends = []
    for start in range(0, length, points):
        generator = Streams(seed).generator("bootstrap")
        drawn = [_resample(curves[start : start + points], resamples, generator) for curves in strata]
        ends.append(np.percentile(statistic(drawn), [tail, 100 - tail], axis=-1))
    low, high = np.concatenate(ends, axis=-1)
    return low, high


def mean_of_tasks(strata: Strata) -> Scores:
    """Return the mean over tasks of the mean over the runs of each."""
    mean: Scores = _task_means(strata).mean(0)
    return mean


def median_of_tasks(strata: Strata) -> Scores:
    """Return the median over tasks of the mean over the runs of each."""
    middle: Scores = np.median(_task_means(strata), axis=0)
    return middle


def tasks_above_one(strata: Strata) -> Scores:
    """Return the number of tasks in which the mean over runs is above 1."""
    count: Scores = (_task_means(strata) > 1).sum(0).astype(np.float64)
    return count


def tasks_below_one(strata: Strata) -> Scores:
    """Return the number of tasks in which the mean over runs is below 1."""
    count: Scores = (_task_means(strata) < 1).sum(0).astype(np.float64)
    return count


def clipped_mean_of_tasks(strata: Strata) -> Scores:
    """Return the mean over tasks of the mean over runs of scores that count as 1 where they are more."""
    return mean_of_tasks([np.minimum(scores, 1) for scores in strata])


def interquartile_mean(strata: Strata) -> Scores:
    """Return the mean of the middle half of all runs of all tasks; of n runs, n // 4 are cut at either end."""
    values = np.sort(np.concatenate(strata, axis=-1), axis=-1)
    cut = values.shape[-1] // 4
    middle: Scores = values[..., cut : values.shape[-1] - cut].mean(-1)
    return middle


def median(strata: Strata) -> Scores:
    """Return the median of all runs of all tasks."""
    middle: Scores = np.median(np.concatenate(strata, axis=-1), axis=-1)
    return middle


def interquartile_difference(strata: Strata, baseline: Strata) -> Scores:
    """Return the interquartile mean of one learner less that of another."""
    return interquartile_mean(strata) - interquartile_mean(baseline)


def probability_of_improvement(strata: Strata, baseline: Strata) -> Scores:
    """Return the probability that a run is better than one of the baseline on the same task, as a mean over tasks.

    Equal scores count as half. Both have the same tasks, in the same order.
    """
    tasks = zip(strata, baseline, strict=True)
    mean: Scores = np.stack([_share_of_wins(scores, others) for scores, others in tasks]).mean(0)
    return mean


def _task_means(strata: Strata) -> Scores:
    """Return the mean over the runs of each task, float64 (tasks, ...)."""
    return np.stack([scores.mean(-1) for scores in strata])


def _resample(scores: Scores, resamples: int, generator: np.random.Generator) -> Scores:
    """Draw runs (..., S) with replacement, the same of all leading axes: float64 (..., resamples, S)."""
    runs = scores.shape[-1]
    drawn: Scores = scores[..., generator.integers(runs, size=(resamples, runs))]
    return drawn


def _share_of_wins(scores: Scores, baseline: Scores) -> Scores:
    """Return the share of pairs of runs, (..., S) and (..., T), in which the first is better."""
    ours, theirs = scores[..., :, None], baseline[..., None, :]
    share: Scores = ((ours > theirs) + 0.5 * (ours == theirs)).mean((-2, -1))
    return share


Values: TypeAlias = Sequence[float] | npt.NDArray[np.float64]
Span: TypeAlias = tuple[float, float]
"""The least and the greatest value that is possible."""
ANYWHERE: Span = (-math.inf, math.inf)


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


def estimate(values: Values, confidence: float = 0.95, within: Span = ANYWHERE) -> Estimate:
    """Return the mean with its standard error and Student's t interval, cut to the span in which the values lie."""
    sample = np.asarray(values, np.float64)
    n = len(sample)
    if n < 2:
        return Estimate(n, float(sample[0]) if n else math.nan, math.nan, math.nan, math.nan)
    return _interval(n, float(sample.mean()), float(sample.std(ddof=1)) / math.sqrt(n), n - 1, confidence, within)


def difference(values: Values, baseline: Values, confidence: float = 0.95, within: Span = ANYWHERE) -> Estimate:
    """Return the mean of `values` less that of `baseline`, with Welch's interval for unequal variances (Welch, 1947).

    The samples count as independent. Where they are positively correlated, because both were played on the same
    levels say, the true interval is narrower than this one.

    Args:
        within: the span in which all values lie; the interval is cut to their possible differences.
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
    width = within[1] - within[0]
    return _interval(n, mean, math.sqrt(variance), freedom, confidence, (-width, width))


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


def _interval(n: int, mean: float, standard_error: float, freedom: float, confidence: float, within: Span) -> Estimate:
    half = standard_error * t_quantile(freedom, confidence) if standard_error > 0 else 0.0
    return Estimate(n, mean, standard_error, max(mean - half, within[0]), min(mean + half, within[1]))
