"""The configuration of the small layout for a CPU imports no TensorFlow."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from worldmodels.core.configuration.ranges import AboveZero, NonNegative, Section, Size, at_least, limits
from worldmodels.models.copying.patch_shape import grid_shape

NARROW = 16
"""Channels of a patch on its way into the bottleneck, and out of it."""


@dataclass(frozen=True)
class PatchNetworkConfig(Section):
    """Dense layers on square patches and across them, far cheaper on a CPU than convolutions; any image size."""

    kind: str = "patch"
    patch: Size = 8
    """Largest side of a patch in pixels, even. Patches are smaller if that covers the image more evenly."""
    depth: Size = 128
    """Channels of a patch."""
    bottleneck: Size = 256
    """Units of the vector that joins all patches, the action and the latent."""
    blocks: Annotated[int, at_least(0), limits(0, 1_000)] = 2
    """Mixing blocks after the bottleneck."""
    patch_motions: bool = False
    """Feed each patch its own last motion, in addition to that of the whole picture. A network of one frame ignores
    it."""

    def representation_size(self, image_shape: tuple[int, int, int]) -> int:
        """Return the size of the network's representation of frames (H, W, C): narrow patches, and the joint vector."""
        rows, columns = grid_shape(image_shape, self.patch)
        return rows * columns * NARROW + self.bottleneck


@dataclass(frozen=True)
class MotionOutputConfig(Section):
    """An output that copies pixels along a few motions of the picture, or paints them."""

    kind: str = "motion"
    motions: Size = 2
    """Number of motions of the whole picture, in addition to standing still; the longest is a patch's width."""
    patch_motions: bool = False
    """Add a motion for each patch: for several small things that move apart."""
    depth: Size = 64
    """Units of the layer that chooses for each pixel of a quarter of a patch."""
    blend: bool = False
    """Draw each pixel as the mean of its sources, weighed by their probabilities; false: the most probable source. A
    mean has a smaller error, and is blurred."""
    spread: AboveZero = 0.04
    """Deviation of a colour that costs one nat: a sum over channels, each from 0 to 1."""
    moved_scale: NonNegative = 0.0
    """Additional weight in the loss of pixels that differ by more than `spread` from the newest frame, or are predicted
    to. Weights are then scaled to a mean of 1. 0 disables it."""
