"""The timing of ticks, which come at a steady rate or earlier after a key, and of the pictures after keys."""

from __future__ import annotations

from collections import deque

AVERAGED_TICKS = 30
"""Ticks over which the latency is averaged."""


class TickClock:
    """Ticks are due at equal distances; a key brings the next one forward, by up to half of a distance.

    The later ticks keep their times, so more keys make no faster play.

    Args:
        now: the time in seconds, of any steady clock; the first tick is due then.
    """

    def __init__(self, now: float) -> None:
        self._due = now

    def ticked(self, now: float, rate: float) -> None:
        """Count a tick that begins now, at this rate a second. A late tick delays all later ones."""
        self._due = max(self._due + 1 / rate, now)

    def next(self, pressed: bool, rate: float) -> float:
        """Return the time at which the next tick begins.

        Args:
            pressed: a key has gone down since the last one.
        """
        return self._due - 0.5 / rate if pressed else self._due


class LatencyMeter:
    """The meter averages how long ticks take, from taking their keys to showing their picture."""

    def __init__(self) -> None:
        self._seconds: deque[float] = deque(maxlen=AVERAGED_TICKS)
        self._rate = 1.0

    def add(self, seconds: float, rate: float) -> None:
        """Add one more tick, at this rate a second."""
        self._seconds.append(seconds)
        self._rate = rate

    @property
    def text(self) -> str:
        """The latency for people; empty before the first tick."""
        if not self._seconds:
            return ""
        mean = sum(self._seconds) / len(self._seconds)
        return f"key to picture {1000 * mean_latency(mean, self._rate):.0f} ms"


def mean_latency(work: float, rate: float) -> float:
    """Return the mean seconds from a key, pressed at a random time, to its picture.

    The first tick after a key takes it. This tick begins at the earliest half a tick after the last one, and not before
    the last one's work is done.

    Args:
        work: seconds from the beginning of a tick to its picture.
    """
    period = max(1 / rate, work)
    earliest = max(period / 2, work)
    return earliest**2 / (2 * period) + work
