"""Computes how many steps a learning curve needs to reach a return, with an interval. Pure functions."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

SAMPLES = 2_000
"""Bootstrap samples."""
INTERVAL = (0.025, 0.975)


class Curve(NamedTuple):
    """Returns of S runs at P numbers of steps."""

    steps: np.ndarray
    """float64 (P,), rising."""
    returns: np.ndarray
    """float64 (S, P)."""


class Needed(NamedTuple):
    """Steps until a return is reached, and the bounds of an interval; inf where the curve never reaches it."""

    steps: float
    low: float
    high: float


def steps_needed(curve: Curve, returns: np.ndarray, random: np.random.Generator) -> Needed:
    """Return the steps after which a curve's mean reaches the mean of returns (R,).

    The interval is of the bootstrap over the curve's runs and over the returns, both drawn anew in each sample.
    """
    runs, count = len(curve.returns), len(returns)
    found = np.empty(SAMPLES)
    for sample in range(SAMPLES):
        mean = curve.returns[random.integers(0, runs, runs)].mean(0)
        found[sample] = first_reached(curve.steps, mean, returns[random.integers(0, count, count)].mean())
    low, high = np.quantile(found, INTERVAL, method="nearest")  # no mean of a number and inf
    return Needed(first_reached(curve.steps, curve.returns.mean(0), returns.mean()), float(low), float(high))


def first_reached(steps: np.ndarray, returns: np.ndarray, target: float) -> float:
    """Return the steps at which returns (P,) first reach a target: the first steps if they have it already, inf if none
    has. Between two points a return is linear in the logarithm of the steps."""
    reached = np.flatnonzero(returns >= target)
    if not reached.size:
        return np.inf
    point = int(reached[0])
    if point == 0:
        return float(steps[0])
    before, after = returns[point - 1], returns[point]
    share = (target - before) / (after - before)
    return float(np.exp(np.interp(share, [0, 1], np.log(steps[point - 1 : point + 1]))))
