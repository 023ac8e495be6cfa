"""Measures wall time and processor time; other work of the machine lengthens wall time much more."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import numpy as np

from worldmodels.core.processor import this_processor, usable_cores

if TYPE_CHECKING:
    from worldmodels.models.precision import Precision


class Stopwatch:
    """Notes how long something takes, each time it is done; the first times, when graphs are traced, are left out."""

    def __init__(self, warm_up: int = 1):
        self._warm_up = warm_up
        self._wall: list[float] = []
        self._processor: list[float] = []

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

    def least(self) -> float:
        """The shortest, in seconds: what the machine does when nothing else runs on it."""
        return min(self._wall[min(self._warm_up, len(self._wall) - 1) :])

    def processor(self) -> float:
        """The median of user and system time of all threads, in seconds."""
        return _median(self._processor, self._warm_up)


def _median(seconds: list[float], warm_up: int) -> float:
    return float(np.median(seconds[min(warm_up, len(seconds) - 1) :]))


class Product:
    """A product of two matrices of 2048 x 2048, which takes its turn with what is measured: what the machine can do."""

    SIDE = 2048
    OPERATIONS = 2 * SIDE**3

    def __init__(self, precision: Precision):
        import tensorflow as tf

        x = tf.random.stateless_normal((self.SIDE, self.SIDE), (1, 2))
        self._x, self._multiply = tf.cast(x, precision), tf.function(tf.matmul, autograph=False)
        self.stopwatch = Stopwatch()

    def turn(self) -> None:
        with self.stopwatch():
            self._multiply(self._x, self._x)[0, 0].numpy()

    def gigaflops(self) -> float:
        """The median, in 10**9 operations a second."""
        return self.OPERATIONS / self.stopwatch.wall() / 1e9


def precisions() -> list[Precision]:
    """Those that pay on what TensorFlow computes on."""
    from worldmodels.models.devices import computing_processor

    return ["float32", "bfloat16"] if computing_processor().multiplies_bfloat16 else ["float32"]


def machine() -> dict[str, Any]:
    """What was measured on."""
    import tensorflow as tf

    return {"processor": str(this_processor()), "cores": len(usable_cores()), "tensorflow": tf.__version__}
