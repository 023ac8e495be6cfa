"""Computes errors of a model's frames, one group of windows after the other: all frames at once would be large.

One letter per axis: W windows, L recorded steps, T = L - start steps that are measured, G windows of a group.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from worldmodels.core.types import MOVED


class FrameErrors(NamedTuple):
    """The mean squared errors of frames, pixels from 0 to 1: float64 (W, T) each."""

    everywhere: np.ndarray
    """Over all pixels of a frame."""
    moving: np.ndarray
    """Over the pixels of the true frame that are moving; NaN where none is, and at the first recorded step."""


class FrameErrorMeter:
    """A meter is given a model's frames by and by, returns their errors, and keeps the frames of a few windows.

    Args:
        observation: uint8 (W, L, h, w, c), the recorded frames.
        start: the first step that is measured.
        filmed: indices of the windows whose frames are kept in `film`.
    """

    def __init__(self, observation: np.ndarray, start: int, filmed: Sequence[int] | np.ndarray = ()) -> None:
        self._observation, self._start, self._filmed = observation, start, np.asarray(filmed, int)
        self.film = np.zeros((len(self._filmed), *observation[0, start:].shape), np.uint8)
        """The model's frames of the filmed windows, uint8 (n, T, h, w, c)."""

    def __call__(self, frames: np.ndarray, windows: np.ndarray) -> FrameErrors:
        """Return the errors of frames uint8 (G, T, h, w, c) of the windows with these indices, int (G,)."""
        place, mine = np.nonzero(self._filmed[:, None] == windows)
        self.film[place] = frames[mine]
        return frame_errors(frames, self._observation[windows], self._start)


def frame_errors(frames: np.ndarray, observation: np.ndarray, start: int) -> FrameErrors:
    """Return the errors of frames uint8 (W, T, h, w, c), or of one for all T steps, of recorded steps from `start` on.

    Args:
        observation: uint8 (W, L, h, w, c), the recorded frames.
    """
    # Window by window: in floating point, all of them at once would take gigabytes.
    each = [_window_errors(mine, recorded, start) for mine, recorded in zip(frames, observation, strict=True)]
    return FrameErrors(*(np.stack(errors) for errors in zip(*each, strict=True)))


def _window_errors(frames: np.ndarray, recorded: np.ndarray, start: int) -> tuple[np.ndarray, np.ndarray]:
    truth = recorded[start:].astype(np.float32)
    before = np.concatenate([recorded[:1], recorded[:-1]])[start:]  # nothing moves at the first recorded step
    moving = (np.abs(truth - before) > 255 * MOVED).any(-1)
    error = np.square((frames - truth) / 255).mean(-1, dtype=np.float64)
    count = moving.sum((1, 2))
    with np.errstate(invalid="ignore"):
        return error.mean((1, 2)), np.where(count, (error * moving).sum((1, 2)) / count, np.nan)
