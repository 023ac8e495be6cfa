"""Draw windows of consecutive steps, and derive what a consumer needs of one."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from worldmodels.core.errors import UserError
from worldmodels.core.types import Batch

Indices = npt.NDArray[np.int64]
Windows = tuple[Indices, Indices]
"""Windows are given by their streams (B,) and first steps (B,)."""

ROUND = 1024
"""The number of windows that are looked at together in search of acceptable ones."""
PATIENCE = 64
"""After so many rounds without an acceptable window it is said that there is none."""


def draw_windows(num_streams: int, span: range, batch: int, length: int, generator: np.random.Generator) -> Windows:
    """Draw windows of `length` steps, uniform over all that there are: streams (B,) and first steps (B,).

    A window may begin anywhere and run across the end of an episode. So short episodes are drawn, too, and a step's
    chance does not depend on the length of its episode.

    Raises UserError where the streams hold fewer than `length` steps.
    """
    starts = len(span) - length + 1
    if length < 1 or starts < 1:
        raise UserError(
            f"Cannot sample sequences of {length} steps: each of the {num_streams} streams holds {len(span)} steps. "
            "A sequence needs at least 1 step and at most as many as a stream holds: shorten it or collect more first."
        )
    picks = generator.integers(num_streams * starts, size=batch)
    return picks // starts, span.start + picks % starts


def draw_accepted(
    draw: Callable[[int], Windows], accept: Callable[[Windows], npt.NDArray[np.bool_]], batch: int
) -> Windows:
    """Return the first `batch` windows out of `draw(count)` that are accepted, so uniform among those.

    There are fewer if `PATIENCE` rounds of `ROUND` windows held none, so the cost does not depend on the size of the
    store.
    """
    found, patience = _chosen(draw(batch), accept), PATIENCE
    while len(found[0]) < batch and patience:
        more = _chosen(draw(ROUND), accept)
        patience = PATIENCE if len(more[0]) else patience - 1
        found = np.concatenate([found[0], more[0]]), np.concatenate([found[1], more[1]])
    return found[0][:batch], found[1][:batch]


def _chosen(windows: Windows, accept: Callable[[Windows], npt.NDArray[np.bool_]]) -> Windows:
    good = accept(windows)
    return windows[0][good], windows[1][good]


def previous_actions(batch: Batch) -> npt.NDArray[Any]:
    """Return, leading (B, T), the action chosen one step before each observation of the window.

    0 at the first step of the window, whose predecessor is outside. Where `is_first` holds it is the action chosen at
    the end of the episode before, which had no effect: a model masks it.
    """
    shifted = np.zeros_like(batch.action)
    shifted[:, 1:] = batch.action[:, :-1]
    return shifted
