"""How fast a run goes. Wall time is recorded and shown; nothing that learns ever sees it."""

from __future__ import annotations

import time

from worldmodels.telemetry.pace import Pace
from worldmodels.training.loop import Loop, Tick


class Speed:
    """Rates since the last record, and the time that is left.

    Args:
        loop: whose counters and timers are read.
    """

    def __init__(self, loop: Loop) -> None:
        self._loop, self._pace = loop, Pace()
        self._restart()

    def iterate(self) -> Tick:
        """`loop.iterate`, with a look at the clock."""
        started = time.perf_counter()
        tick = self._loop.iterate()
        self._pace.add(tick.phase, tick.amount, time.perf_counter() - started)
        return tick

    def seconds_left(self) -> float | None:
        """Until the end of the run, but for evaluations; None while it is not known."""
        return self._pace.seconds(self._loop.remaining())

    def rates(self) -> dict[str, float]:
        """Environment steps, updates and frames of experience learned from, each per second of wall time."""
        seconds = max(time.perf_counter() - self._since, 1e-9)
        rates = {name: (now - self._before[name]) / seconds for name, now in self._counts().items()}
        return {f"time/{name}_per_second": rate for name, rate in rates.items()}

    def take(self) -> dict[str, float]:
        """The rates and the seconds spent in each part of the loop, and a new start."""
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
