"""Configuration of the small layout for a CPU. Imports no TensorFlow."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from worldmodels.core.configuration.ranges import AboveZero, NonNegative, Section, Size, at_least, limits
from worldmodels.models.copying.patch_shape import grid_shape

NARROW = 16
"""Channels of a patch on its way into the bottleneck, and out of it."""


@dataclass(frozen=True)
class PatchNetworkConfig(Section):
    """Dense layers on square patches and across them: far cheaper on a CPU than convolutions. Any image size."""

    kind: str = "patch"
    patch: Size = 8
    """Side of a patch in pixels, or a little less where patches of equal size fit the image better; always even."""
    depth: Size = 128
    """Channels of a patch."""
    bottleneck: Size = 256
    """Units of the one vector in which all patches meet, and where action and latent enter."""
    blocks: Annotated[int, at_least(0), limits(0, 1_000)] = 2
    """Mixing blocks after the bottleneck."""
    patch_motions: bool = False
    """Whether each patch is told how its content moved last, besides the picture as a whole; without effect in a
    network that sees one frame alone."""

    def representation_size(self, image_shape: tuple[int, int, int]) -> int:
        """Return the size of what the network makes of frames (H, W, C): what patches say, and the vector of all."""
        rows, columns = grid_shape(image_shape, self.patch)
        return rows * columns * NARROW + self.bottleneck


@dataclass(frozen=True)
class MotionOutputConfig(Section):
    """Pixels copied along a few motions of the picture, or painted."""

    kind: str = "motion"
    motions: Size = 2
    """Motions of a frame, besides standing still; each at most as far as a patch is wide."""
    patch_motions: bool = False
    """Whether each patch has one more motion, of its own: for several small things that move apart."""
    depth: Size = 64
    """Units of a quarter of a patch, in which the choice for each pixel is made."""
    blend: bool = False
    """Whether a pixel is the mean of what it may be, by its probabilities, and not the most probable: nearer to the
    truth on average, and blurred where the model is unsure."""
    spread: AboveZero = 0.04
    """Deviation of a colour (sum over channels, each from 0 to 1) that counts as one nat."""
    moved_scale: NonNegative = 0.0
    """Weight in the loss of pixels that deviate by more than `spread` from the newest frame, or are said to, on top of
    that of all pixels. All weights are then scaled to a mean of 1: small things that move get a gradient, and the loss
    keeps its size."""
