"""Errors of a model's frames, taken group by group of windows: the frames of all windows at once would be large.

One letter per axis: W windows, T steps, G windows of a group.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np


class FrameErrors:
    """A meter is given a model's frames by and by, returns their errors, and keeps the frames of a few windows.

    Args:
        truth: uint8 (W, T, h, w, c), the true frames.
        filmed: indices of the windows whose frames are kept in `film`.
    """

    def __init__(self, truth: np.ndarray, filmed: Sequence[int] | np.ndarray = ()) -> None:
        self._truth, self._filmed = truth, np.asarray(filmed, int)
        self.film = np.zeros((len(self._filmed), *truth.shape[1:]), np.uint8)
        """The model's frames of the filmed windows."""

    def __call__(self, frames: np.ndarray, windows: np.ndarray) -> np.ndarray:
        """Return the mean squared error of each frame, pixels from 0 to 1, float64 (G, T).

        Args:
            frames: uint8 (G, T, h, w, c).
            windows: indices of these windows, int (G,).
        """
        place, mine = np.nonzero(self._filmed[:, None] == windows)
        self.film[place] = frames[mine]
        return image_errors(frames, self._truth[windows])


def image_errors(frames: np.ndarray, truth: np.ndarray) -> np.ndarray:
    """Return the mean squared error of each frame, pixels from 0 to 1, float64 (W, T).

    Args:
        frames: uint8 (W, T, h, w, c).
        truth: uint8, of that shape, or with T = 1 for all.
    """
    # Window by window: in floating point, all of them at once would take gigabytes.
    distances = ((mine.astype(np.float32) - true) / 255 for mine, true in zip(frames, truth, strict=True))
    return np.stack([np.square(distance).mean(axis=(1, 2, 3), dtype=np.float64) for distance in distances])
