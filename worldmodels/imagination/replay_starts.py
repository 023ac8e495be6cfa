"""Start windows are drawn from recorded experience; an episode continues after their last step."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from worldmodels.core.errors import UserError
from worldmodels.core.types import Batch
from worldmodels.replay import ReplayReader

StartWindows = Callable[[int, np.random.Generator], Batch]
"""A count B and a generator give B windows; imagination continues after the last step of each."""

TRIES = 100
"""Number of draws before the error that no recorded episode continues."""


class ReplayStarts:
    """Draws windows of `context` steps from a replay store; none ends with an episode's last step.

    A window may run across the border of episodes, where the model forgets. Held-out episodes are left out.

    Args:
        newest: number of newest steps to draw from, summed over the streams; 0: all steps.
        beginnings: number of windows that begin with an episode; the others begin anywhere.
    """

    def __init__(self, reader: ReplayReader, context: int, newest: int = 0, beginnings: int = 0) -> None:
        self._reader, self._context = reader, context
        self._newest, self._beginnings = newest, beginnings

    def __call__(self, count: int, generator: np.random.Generator) -> Batch:
        """Draw `count` windows.

        Raises:
            UserError: the store holds too few steps, or an episode continues after none of them.
        """
        batch = self._draw(count, generator, self._beginnings)
        for _ in range(TRIES):
            over = np.flatnonzero(batch.is_last[:, -1])
            if not len(over):
                return batch
            others = self._draw(len(over), generator, int((over < self._beginnings).sum()))
            batch = Batch(*(_replaced(values, over, new) for values, new in zip(batch, others, strict=True)))
        raise UserError(
            f"Imagination starts where a recorded episode continues; the replay store in '{self._reader.folder}' holds "
            f"almost no such step: {TRIES} draws in a row closed with the last step of an episode."
        )

    def _draw(self, count: int, generator: np.random.Generator, beginnings: int) -> Batch:
        return self._reader.sample(count, self._context, generator, "training", self._newest, beginnings)


def _replaced(values: Any, rows: np.ndarray, new: Any) -> Any:
    """Return an array, or a dictionary of arrays, with new values in some rows."""
    if isinstance(values, dict):
        return {name: _replaced(array, rows, new[name]) for name, array in values.items()}
    values[rows] = new
    return values
