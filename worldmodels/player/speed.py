"""How fast pictures follow keys, as the header says it."""

from __future__ import annotations

from collections import deque

from worldmodels.player.pace import key_to_picture

KEPT = 30
"""Ticks over which the time is averaged."""


class Speed:
    """Knows how long ticks take, from the moment when one takes its keys to the moment when its picture is shown."""

    def __init__(self) -> None:
        self._seconds: deque[float] = deque(maxlen=KEPT)
        self._rate = 1.0

    def add(self, seconds: float, rate: float) -> None:
        """One more tick, at so many a second."""
        self._seconds.append(seconds)
        self._rate = rate

    @property
    def text(self) -> str:
        """For people; nothing before the first tick."""
        if not self._seconds:
            return ""
        mean = sum(self._seconds) / len(self._seconds)
        return f"key to picture {1000 * key_to_picture(mean, self._rate):.0f} ms"
