"""Holds the status of a run for its display: steps, times, the newest values, the history of returns."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Mapping


class Status:
    """The status of a run. Another thread may read it: values are replaced, and lists only grow."""

    def __init__(self, total_steps: int, title: str, clock: Callable[[], float] = time.monotonic) -> None:
        self.total_steps = total_steps
        self.title = title
        self.step = 0
        self.phase = ""
        self.seconds_left: float | None = None
        self.values: dict[str, float] = {}
        self.history: dict[str, list[float]] = {"episode/return": [], "eval/return": []}
        self._clock = clock
        self._start = clock()

    def update(
        self, step: int, values: Mapping[str, float], phase: str = "", seconds_left: float | None = None
    ) -> None:
        """Set the step, the phase in words and the time left; values that are not given stay."""
        self.step, self.phase, self.seconds_left = int(step), phase, seconds_left
        self.values = {**self.values, **{name: float(value) for name, value in values.items()}}
        for name, returns in self.history.items():
            if name in values and math.isfinite(values[name]):
                returns.append(float(values[name]))

    @property
    def fraction(self) -> float:
        """The share of the run that is done, 0 to 1."""
        return min(1.0, self.step / self.total_steps) if self.total_steps else 0.0

    @property
    def elapsed(self) -> float:
        """The seconds since the status was made."""
        return self._clock() - self._start


def duration(seconds: float | None) -> str:
    """Return seconds as "0:07", "12:34" or "1:02:03"; "–" if they are not known."""
    if seconds is None or not math.isfinite(seconds):
        return "–"
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"


def number(value: float) -> str:
    """Return a value in about three digits: "12,345", "12.3", "0.0123", "1.2e-05"."""
    if not math.isfinite(value):
        return str(value)
    if abs(value) >= 1000:
        return f"{value:,.0f}"
    return f"{value:.3g}"


def sparkline(values: list[float], width: int) -> str:
    """Return the whole history as at most `width` bars, each the mean of its share of the values."""
    if not values:
        return ""
    count = min(width, len(values))
    edges = [index * len(values) // count for index in range(count + 1)]
    means = [sum(values[low:high]) / (high - low) for low, high in zip(edges, edges[1:], strict=False)]
    lowest, span = min(means), max(means) - min(means)
    bars = "▁▂▃▄▅▆▇█"
    return "".join(bars[round((mean - lowest) / span * 7)] if span else bars[0] for mean in means)
