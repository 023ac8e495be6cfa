"""The frames of worlds, and how far two of them are apart."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

Frame = npt.NDArray[np.uint8]
"""(H, W, 3), 0 to 255."""


def image_error(a: Frame, b: Frame) -> float:
    """Return the mean absolute difference over pixels and channels, 0 to 255."""
    return float(np.abs(a.astype(np.int16) - b.astype(np.int16)).mean())
