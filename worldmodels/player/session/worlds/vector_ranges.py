"""The ranges of the real numbers so far, which scale the bars."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from worldmodels.player.session.worlds.frames import Vectors

Ranges: TypeAlias = Mapping[str, tuple[npt.NDArray[np.float32], npt.NDArray[np.float32]]]
"""The lowest and the highest value of each number, float32 (D,) each, by the names of the parts."""
NARROWEST = 1e-3
"""The least width of a range, so that a number that has not moved yet is no division by zero."""


class VectorRanges:
    """The ranges grow with each real frame, and belong to the state of a playthrough."""

    def __init__(self) -> None:
        self.ranges: Ranges = {}

    def add(self, vectors: Vectors) -> None:
        """Widen the ranges so that they hold these numbers."""
        old = self.ranges
        self.ranges = {
            name: (np.minimum(array, old.get(name, (array,))[0]), np.maximum(array, old.get(name, (array,))[-1]))
            for name, array in vectors.items()
        }

    def save(self) -> Ranges:
        """Return the state for `load`."""
        return self.ranges

    def load(self, saved: Ranges) -> None:
        """Return to a state of `save`."""
        self.ranges = saved


def vector_error(predicted: Vectors, real: Vectors, ranges: Ranges) -> float:
    """Return the mean absolute difference over all predicted numbers, each as a share of its range; 1 is a range."""
    shares = [
        np.abs(array - real[name]) / np.maximum(ranges[name][1] - ranges[name][0], NARROWEST)
        for name, array in predicted.items()
    ]
    return float(np.concatenate(shares).mean()) if shares else 0.0
