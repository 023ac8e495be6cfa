"""Frames and numbers, which worlds show, and how far two frames are apart.

The ranges of the real numbers so far, which scale the bars.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from worldmodels.core.specs import Observation

Frame = npt.NDArray[np.uint8]
"""(H, W, 3), 0 to 255."""
Vectors: TypeAlias = Mapping[str, npt.NDArray[np.float32]]
"""float32 (D,) by the names of the parts of an observation; the only part has the name ""."""


def image_error(a: Frame, b: Frame) -> float:
    """Return the mean absolute difference over pixels and channels, 0 to 255."""
    return float(np.abs(a.astype(np.int16) - b.astype(np.int16)).mean())


def image_of(observation: Observation, name: str | None = None) -> Frame | None:
    """Return the image of an observation, of several the one with this name or else the first; None without one."""
    images = {key: array for key, array in _parts(observation).items() if array.ndim == 3}
    return images.get(name or "", next(iter(images.values()), None))


def with_image(observation: Observation, frame: Frame, name: str | None = None) -> Observation:
    """Return an observation in which another frame is the image that `image_of` gives."""
    if not isinstance(observation, dict):
        return frame
    images = [key for key, array in observation.items() if array.ndim == 3]
    return {**observation, (name if name in images else images[0]): frame}


def vectors_of(observation: Observation) -> dict[str, npt.NDArray[np.float32]]:
    """Return the vectors of an observation."""
    return {name: array for name, array in _parts(observation).items() if array.ndim == 1}


def one_row(observation: Observation) -> Any:
    """Return an observation with a leading axis of 1."""
    if isinstance(observation, dict):
        return {name: array[None] for name, array in observation.items()}
    return observation[None]


def row_of(observations: Observation, row: int) -> Any:
    """Return one of several observations with a leading axis."""
    if isinstance(observations, dict):
        return {name: array[row] for name, array in observations.items()}
    return observations[row]


def _parts(observation: Observation) -> dict[str, npt.NDArray[Any]]:
    return observation if isinstance(observation, dict) else {"": observation}


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
