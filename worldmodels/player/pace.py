"""When the clock ticks: at a steady rate, but for a key that goes down, which is not kept waiting."""

from __future__ import annotations


class Pace:
    """Ticks are due at equal distances; a key brings the next one forward, by up to half of a distance.

    The ones after that are due when they were, so nobody plays faster who presses more keys.

    Args:
        now: the time in seconds, of any steady clock; the first tick is due then.
    """

    def __init__(self, now: float) -> None:
        self._due = now

    def ticked(self, now: float, rate: float) -> None:
        """A tick began, at so many a second. One that was late makes all later ones later: nothing is made up for."""
        self._due = max(self._due + 1 / rate, now)

    def next(self, pressed: bool, rate: float) -> float:
        """When the next tick begins.

        Args:
            pressed: a key has gone down since the last one.
        """
        return self._due - 0.5 / rate if pressed else self._due


def key_to_picture(work: float, rate: float) -> float:
    """Mean seconds from a key, pressed at a random moment, to its picture.

    A key is taken by the first tick that begins after it: half a tick after the last one at the earliest, and not
    before the last one's work was done.

    Args:
        work: seconds from the beginning of a tick to its picture.
    """
    period = max(1 / rate, work)
    earliest = max(period / 2, work)
    return earliest**2 / (2 * period) + work
