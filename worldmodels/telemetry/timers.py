"""Measures the wall time of the sections of a loop."""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager


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
