"""The wall time of a loop, section by section."""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager


class Timer:
    """A timer sums up seconds in named sections, `with timer("fit"): ...`, which may repeat and nest."""

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
        """Return the seconds since they were last taken, as {"time/fit_seconds": 1.5}, and start afresh."""
        seconds = {f"time/{section}_seconds": total for section, total in self._seconds.items()}
        self._seconds.clear()
        return seconds
