"""Batches of a training loop: a thread draws the next batch during an update."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any, Generic, TypeVar

import numpy as np

from worldmodels.core.seeding import generator_state, restore_generator

Drawn = TypeVar("Drawn")


class Batches(Generic[Drawn]):
    """Draws batches one after the other, in the order of one random generator.

    Drawing ahead gives the same batches, as long as nothing is added to the store in between: the caller says so. A
    batch that is waiting is no part of what is saved; it is drawn again.
    """

    def __init__(self, draw: Callable[[np.random.Generator], Drawn], generator: np.random.Generator):
        self._draw, self._generator = draw, generator
        self._worker = ThreadPoolExecutor(1, "batches")
        self._waiting: Future[Drawn] | None = None
        self._before_waiting: dict[str, Any] = {}

    def take(self, another: bool) -> Drawn:
        """Return the next batch, and begin to draw the one after it if `another` will be taken from the same store.

        Raises what drawing raises: of a batch that was drawn ahead, when it is taken.
        """
        waiting, self._waiting = self._waiting, None
        batch = waiting.result() if waiting else self._draw(self._generator)
        if another:
            self._before_waiting = generator_state(self._generator)
            self._waiting = self._worker.submit(self._draw, self._generator)
        return batch

    def save(self) -> dict[str, Any]:
        """Return the state of the generator at which the next batch is drawn."""
        if self._waiting is None:
            return generator_state(self._generator)
        self._waiting.exception()  # nobody may read the store while it is saved
        return self._before_waiting

    def load(self, state: dict[str, Any]) -> None:
        """Take over what `save` gave."""
        self._waiting = None
        self._generator = restore_generator(state)
