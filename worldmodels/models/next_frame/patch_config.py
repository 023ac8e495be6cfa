"""Configuration of the small layout for a CPU. Imports no TensorFlow."""

from __future__ import annotations

from dataclasses import dataclass

from worldmodels.core.ranges import AboveZero, Count, Positive, Section


@dataclass(frozen=True)
class PatchNetworkConfig(Section):
    """Dense layers on square patches and across them: far cheaper on a CPU than convolutions. Any image size."""

    kind: str = "patch"
    patch: Positive = 8
    """Side of a patch in pixels, or a little less where patches of equal size fit the image better; always even."""
    depth: Positive = 128
    """Channels of a patch."""
    bottleneck: Positive = 256
    """Units of the one vector in which all patches meet, and where action and latent enter."""
    blocks: Count = 2
    """Mixing blocks after the bottleneck."""


@dataclass(frozen=True)
class MotionOutputConfig(Section):
    """Pixels copied along a few motions of the picture, or painted."""

    kind: str = "motion"
    motions: Positive = 2
    """Motions of a frame, besides standing still; each at most as far as a patch is wide."""
    depth: Positive = 64
    """Units of a quarter of a patch, in which the choice for each pixel is made."""
    spread: AboveZero = 0.04
    """Deviation of a colour (sum over channels, each from 0 to 1) that counts as one nat."""
