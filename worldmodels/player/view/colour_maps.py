"""Colour maps: the difference of two frames, and uncertainty over a frame, as pixels."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from worldmodels.player.session.worlds.frames import Frame

# Dark blue over grey to yellow: brightness rises all the way, and no pair of hues that colour-blind people confuse.
_ANCHORS = (
    (0, (12, 14, 18)),
    (64, (30, 66, 130)),
    (128, (112, 118, 124)),
    (192, (206, 182, 84)),
    (255, (255, 243, 150)),
)
_POSITIONS = [position for position, _ in _ANCHORS]
_CHANNELS = [np.interp(np.arange(256), _POSITIONS, [colour[i] for _, colour in _ANCHORS]) for i in range(3)]
COLOUR_MAP: Frame = np.stack(_CHANNELS, axis=-1).round().astype(np.uint8)
"""uint8 (256, 3): the colour of each strength of difference on the scale of `difference_map`."""


def difference(a: Frame, b: Frame) -> npt.NDArray[np.uint8]:
    """Return the largest difference of the three channels, uint8 (H, W), 0 to 255."""
    largest: npt.NDArray[np.uint8] = (np.maximum(a, b) - np.minimum(a, b)).max(axis=-1)
    return largest


def difference_map(a: Frame, b: Frame) -> Frame:
    """Return the difference as colours. Small ones are spread out: half way up the scale stands 95, not 128."""
    level = (difference(a, b) / 255.0) ** 0.7
    colours: Frame = COLOUR_MAP[(level * 255).round().astype(np.uint8)]
    return colours


def heat_map(frame: Frame, strength: npt.NDArray[np.float32]) -> Frame:
    """Return the frame, darker, under the colours of `strength` (H, W), 0 to 1; a quarter is as bright as it gets."""
    share = np.minimum(1.0, 4.0 * strength)[..., None]
    colours = COLOUR_MAP[(share[..., 0] * 255).round().astype(np.uint8)]
    mixed: Frame = (0.6 * frame * (1.0 - share) + colours * share).round().astype(np.uint8)
    return mixed
