"""Frames and numbers, which worlds show, and how far two frames are apart."""

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
