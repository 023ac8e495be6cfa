"""Speed of a run. Wall time is measured and shown; nothing that learns ever reads it."""

from __future__ import annotations

import time

from worldmodels.telemetry.remaining_time import RemainingTime
from worldmodels.training.loop import Loop, Tick


class Throughput:
    """Measures rates since the last record, and estimates the time that is left.

    Args:
        loop: whose counters and timers are read.
    """

    def __init__(self, loop: Loop) -> None:
        self._loop, self._remaining = loop, RemainingTime()
        self._restart()

    def add(self, tick: Tick, seconds: float) -> None:
        """Take note that a tick took so many seconds."""
        self._remaining.add(tick.phase, tick.amount, seconds)

    def seconds_left(self) -> float | None:
        """Return the time until the end of the run without evaluations; None while it is not known."""
        return self._remaining.seconds(self._loop.remaining())

    def rates(self) -> dict[str, float]:
        """Return environment steps, updates and frames of experience learned from, each per second of wall time."""
        seconds = max(time.perf_counter() - self._since, 1e-9)
        rates = {name: (now - self._before[name]) / seconds for name, now in self._counts().items()}
        return {f"time/{name}_per_second": rate for name, rate in rates.items()}

    def take(self) -> dict[str, float]:
        """Return the rates and the seconds spent in each part of the loop, and start anew."""
        taken = self.rates() | self._loop.timer.take()
        self._restart()
        return taken

    def _restart(self) -> None:
        self._since, self._before = time.perf_counter(), self._counts()

    def _counts(self) -> dict[str, int]:
        loop, counters = self._loop, self._loop.counters()
        counts = {"env_steps": loop.step, "updates": loop.updates, "frames": loop.updates * loop.frames_per_update}
        policy = {"policy_updates": counters["policy/updates"]} if "model/updates" in counters else {}
        return counts | policy
