"""Fits laws to the growth of a time with an amount: a power, and a constant with a share of each unit."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

CONSTANT, LINEAR = 0.15, 0.85
"""Exponents up to which a time counts as constant, and from which it counts as linear, up to 2 - LINEAR."""


class Law(NamedTuple):
    """A time t of an amount x, in milliseconds."""

    exponent: float
    """Slope of log t against log x, over all amounts."""
    last_exponent: float
    """The same between the two largest."""
    call: float
    """a of t = a + b x: milliseconds that a call costs, however small."""
    each: float
    """b: milliseconds of each unit of the amount."""

    @property
    def dominated_below(self) -> float:
        """The amount at which a call costs as much as its work; infinite where the amount costs nothing."""
        return self.call / self.each if self.each else float("inf")

    @property
    def kind(self) -> str:
        return kind(self.exponent)


def kind(exponent: float) -> str:
    """What an exponent is called."""
    if exponent < CONSTANT:
        return "constant"
    if exponent < LINEAR:
        return "sub-linear"
    return "linear" if exponent <= 2 - LINEAR else "super-linear"


def fit_law(amounts: Sequence[float], times: Sequence[float]) -> Law:
    """The law of at least two different amounts, ascending."""
    x, t = np.asarray(amounts, float), np.asarray(times, float)
    slope = float(np.polyfit(np.log(x), np.log(t), 1)[0])
    last = float(np.log(t[-1] / t[-2]) / np.log(x[-1] / x[-2]))
    return Law(slope, last, *affine(x, t))


def affine(x: np.ndarray, t: np.ndarray) -> tuple[float, float]:
    """a and b, neither negative, of t = a + b x with the smallest relative errors."""
    scaled = np.stack([1 / t, x / t], 1)
    a, b = np.linalg.lstsq(scaled, np.ones(len(t)), rcond=None)[0]
    if a < 0:
        return 0.0, float(scaled[:, 1].sum() / (scaled[:, 1] ** 2).sum())
    if b < 0:
        return float(scaled[:, 0].sum() / (scaled[:, 0] ** 2).sum()), 0.0
    return float(a), float(b)
