"""Where imagined episodes begin: windows of recorded experience."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from worldmodels.core.errors import UserError
from worldmodels.core.types import Batch
from worldmodels.replay import ReplayReader

Starts = Callable[[int, np.random.Generator], Batch]
"""A count B and a generator give B windows; an imagined episode goes on after the last step of each."""

TRIES = 100
"""Draws of a window before a recording counts as one in which nothing goes on."""


class RecordedStarts:
    """Windows of `context` steps from a replay store, uniform over those that do not close with an episode's last step.

    A window may run across the border of episodes; the model forgets there. Episodes that are held out stay out.
    """

    def __init__(self, reader: ReplayReader, context: int) -> None:
        self._reader, self._context = reader, context

    def __call__(self, count: int, generator: np.random.Generator) -> Batch:
        """Raises UserError where the store holds too few steps, or none after which an episode goes on."""
        batch = self._reader.sample(count, self._context, generator, "training")
        for _ in range(TRIES):
            over = np.flatnonzero(batch.is_last[:, -1])
            if not len(over):
                return batch
            others = self._reader.sample(len(over), self._context, generator, "training")
            batch = Batch(*(_replaced(values, over, new) for values, new in zip(batch, others, strict=True)))
        raise UserError(
            f"Imagination begins where a recorded episode goes on; the replay store in '{self._reader.folder}' shows "
            f"almost none such: {TRIES} draws in a row closed with the last step of an episode."
        )


def _replaced(values: Any, rows: np.ndarray, new: Any) -> Any:
    values[rows] = new
    return values
