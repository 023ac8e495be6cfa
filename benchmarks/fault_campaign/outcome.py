"""Defines the outcome of a part of the campaign."""

from __future__ import annotations

from typing import NamedTuple


class Outcome(NamedTuple):
    """What was tried, how often, and each time that it did not hold."""

    what: str
    tried: int
    broke: list[str]
    """One text for each failure, with what repeats it."""


def scaled(count: int, scale: float) -> int:
    """Return how often something is tried: at least once."""
    return max(1, round(count * scale))
