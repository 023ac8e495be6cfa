"""Wall time, which whatever else runs also lengthens, and processor time, which it lengthens much less."""

from __future__ import annotations

import os
import platform
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np


class Stopwatch:
    """Notes how long something takes, each time it is done; the first times, when graphs are traced, are left out."""

    def __init__(self, warm_up: int = 1):
        self._warm_up, self._wall, self._processor = warm_up, [], []

    @contextmanager
    def __call__(self) -> Iterator[None]:
        wall, processor = time.perf_counter(), time.process_time()
        yield
        self._wall.append(time.perf_counter() - wall)
        self._processor.append(time.process_time() - processor)

    @property
    def total(self) -> float:
        """Seconds of wall time, all but the first times."""
        return sum(self._wall[self._warm_up :])

    @property
    def count(self) -> int:
        """How often it was noted; the first times count too."""
        return len(self._wall)

    def wall(self) -> float:
        """The median, in seconds."""
        return _median(self._wall, self._warm_up)

    def processor(self) -> float:
        """The median of user and system time of all threads, in seconds."""
        return _median(self._processor, self._warm_up)


def _median(seconds: list[float], warm_up: int) -> float:
    return float(np.median(seconds[min(warm_up, len(seconds) - 1) :]))


def machine() -> dict[str, Any]:
    """What was measured on."""
    import tensorflow as tf

    return {"processor": _processor_name(), "cores": os.cpu_count(), "tensorflow": tf.__version__}


def _processor_name() -> str:
    info = Path("/proc/cpuinfo")
    lines = info.read_text().splitlines() if info.exists() else []
    return next((line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")), platform.machine())
