"""The speed of a run is measured and shown, and a trace shows what takes its time; nothing that learns reads either."""

from __future__ import annotations

import time
from collections.abc import Mapping
from pathlib import Path

from worldmodels.training.loops.loop import Loop, Tick

MEMORY = 60.0  # seconds of each kind of work; long enough to be smooth, short enough to follow a change


class RemainingTime:
    """The seconds that a unit of each kind of work takes: fitting and collecting have no one speed."""

    def __init__(self) -> None:
        self._measured: dict[str, tuple[float, float]] = {}

    def add(self, kind: str, amount: int, seconds: float) -> None:
        """Add work that was done in so many seconds; the first of each kind does not count: it builds graphs."""
        if kind not in self._measured:
            self._measured[kind] = (0.0, 0.0)
            return
        amounts, total = self._measured[kind]
        amounts, total = amounts + amount, total + seconds
        self._measured[kind] = (amounts / 2, total / 2) if total > MEMORY else (amounts, total)

    def seconds(self, remaining: Mapping[str, int]) -> float | None:
        """Return the seconds for all that remains, by kind; None while there is a kind that was not measured yet."""
        left = 0.0
        for kind, amount in remaining.items():
            amounts, total = self._measured.get(kind, (0.0, 0.0))
            if amount and not amounts:
                return None
            left += total * amount / amounts if amount else 0.0
        return left


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


FIRST, COUNT = 20, 10
"""The first iteration in the trace, after the graphs were made, and the number of iterations."""


class Profile:
    """A trace of iterations `FIRST` to `FIRST + COUNT - 1` of this process.

    Args:
        folder: the run's folder, which takes the trace (`plugins/profile`); None for no trace.
    """

    def __init__(self, folder: Path | None) -> None:
        self._folder, self._iterations, self._runs = folder, 0, False

    def iteration(self) -> str | None:
        """Count an iteration that begins, start or end the trace, and return a message if it is written."""
        self._iterations += 1
        if self._folder is None or self._iterations not in (FIRST, FIRST + COUNT):
            return None
        if self._runs:
            return self.end()
        import tensorflow as tf

        tf.profiler.experimental.start(str(self._folder))
        self._runs = True
        return None

    def end(self) -> str | None:
        """Write the trace if it is under way; return a message with its place."""
        if not self._runs:
            return None
        import tensorflow as tf

        tf.profiler.experimental.stop()
        self._runs = False
        return f"The trace is written: tensorboard --logdir {self._folder} shows it in the tab Profile"
