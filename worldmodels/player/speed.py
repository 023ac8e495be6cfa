"""How fast pictures follow keys, as the header says it."""

from __future__ import annotations

from collections import deque

KEPT = 30
"""Steps over which the time is averaged."""


class Speed:
    """The time from the moment when a tick takes its keys to the moment when its picture is on the screen."""

    def __init__(self) -> None:
        self._seconds: deque[float] = deque(maxlen=KEPT)
        self._wanted = 0

    def add(self, seconds: float, waiting: int) -> None:
        """One more tick, at so many ticks a second."""
        self._seconds.append(seconds)
        self._wanted = waiting

    @property
    def text(self) -> str:
        """For people; nothing before the first tick. A key waits for its tick besides, half of one on average."""
        if not self._seconds:
            return ""
        mean = sum(self._seconds) / len(self._seconds)
        wait = 0.5 / self._wanted
        return f"key to picture {1000 * (mean + max(0.0, wait - mean)):.0f} ms"
