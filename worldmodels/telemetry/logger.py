"""Logs metrics to several sinks, and averages scalars between two moments of logging.

Measures the wall time of the sections of a loop.
"""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt


class Sink(Protocol):
    """Writes metrics. Steps are real environment steps; several records may have the same step."""

    def scalars(self, step: int, values: Mapping[str, float]) -> None:
        """Write values by grouped name, for example "episode/return"."""

    def video(self, step: int, name: str, frames: npt.NDArray[np.uint8]) -> None:
        """Write a video, frames uint8 (T, H, W, 3)."""

    def save(self) -> dict[str, Any]:
        """Return the amount written."""

    def load(self, tree: dict[str, Any]) -> None:
        """Remove the records after the call of `save` that returned `tree`: a resumed run writes them again."""

    def close(self) -> None:
        """Write all buffered records."""


class Logger:
    """A `Sink` that passes all metrics on to several sinks."""

    def __init__(self, sinks: Sequence[Sink]) -> None:
        self._sinks = list(sinks)

    def scalars(self, step: int, values: Mapping[str, float]) -> None:
        for sink in self._sinks:
            sink.scalars(step, values)

    def video(self, step: int, name: str, frames: npt.NDArray[np.uint8]) -> None:
        for sink in self._sinks:
            sink.video(step, name, frames)

    def save(self) -> dict[str, Any]:
        return {"sinks": [sink.save() for sink in self._sinks]}

    def load(self, tree: dict[str, Any]) -> None:
        for sink, saved in zip(self._sinks, tree["sinks"], strict=True):
            sink.load(saved)

    def close(self) -> None:
        for sink in self._sinks:
            sink.close()


class MeanMetrics:
    """The means of scalars by name since `take` was last called; they are saved, so that resuming loses no episode."""

    def __init__(self) -> None:
        self._sums: dict[str, float] = {}
        self._counts: dict[str, int] = {}

    def add(self, values: Mapping[str, float]) -> None:
        for name, value in values.items():
            self._sums[name] = self._sums.get(name, 0.0) + float(value)
            self._counts[name] = self._counts.get(name, 0) + 1

    def take(self) -> dict[str, float]:
        """Return the means by name, and reset them."""
        means = {name: total / self._counts[name] for name, total in self._sums.items()}
        self._sums, self._counts = {}, {}
        return means

    def save(self) -> dict[str, Any]:
        return {"sums": dict(self._sums), "counts": dict(self._counts)}

    def load(self, tree: dict[str, Any]) -> None:
        self._sums = {name: float(total) for name, total in tree["sums"].items()}
        self._counts = {name: int(tree["counts"][name]) for name in self._sums}
        if min(self._counts.values(), default=1) < 1:
            raise ValueError("a mean must be of 1 number or more")


class Timer:
    """Sums up seconds in named sections, `with timer("fit"): ...`, which may repeat and nest."""

    def __init__(self) -> None:
        self._seconds: defaultdict[str, float] = defaultdict(float)

    @contextmanager
    def __call__(self, section: str) -> Iterator[None]:
        start = time.perf_counter()
        try:
            yield
        finally:
            self._seconds[section] += time.perf_counter() - start

    def take(self) -> dict[str, float]:
        """Return the seconds since the last call, as {"time/fit_seconds": 1.5}, and reset them."""
        seconds = {f"time/{section}_seconds": total for section, total in self._seconds.items()}
        self._seconds.clear()
        return seconds
