"""Configuration of the parts that world models and agents are made of. Imports no TensorFlow."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True)
class ConvConfig:
    """Convolutions of stride 2 without padding, the image layout of Dreamer; 64x64 images only."""

    kind: str = "conv"
    depth: int = 48
    """Channels of the layer nearest to the image; each further layer has twice as many."""


@dataclass(frozen=True)
class PatchConfig:
    """Dense layers on square patches that do not overlap: far cheaper on a CPU than wide layers near the image."""

    kind: str = "patch"
    patch: int = 8
    """Side of a patch in pixels; twice this side must divide the image's sides."""
    depth: int = 64
    """Channels of the layer nearest to the image; the further layer has twice as many."""


@dataclass(frozen=True)
class HeadConfig:
    """A stack of dense layers on a feature vector."""

    layers: int = 4
    units: int = 400


@dataclass(frozen=True)
class OptimizerConfig:
    """Adam with clipping by the global norm and decoupled weight decay."""

    kind: str = "adam"
    learning_rate: float = 2e-4
    beta1: float = 0.9
    """Share of the first moment that each update keeps."""
    beta2: float = 0.999
    """Share of the second moment that each update keeps."""
    epsilon: float = 1e-5
    clip: float = 100.0
    """Largest global norm of a gradient; a longer one is scaled down to it."""
    weight_decay: float = 1e-6
    """Share of every weight that is taken away at each update, whatever the learning rate."""


@dataclass(frozen=True)
class AdafactorConfig:
    """Adafactor (Shazeer & Stern 2018) without momentum; the defaults are SimPLe's figures."""

    kind: str = "adafactor"
    learning_rate: float = 1.5
    """Relative to the size of each weight; see `schedule`."""
    schedule: Literal["inverse_square_root", "constant"] = "inverse_square_root"
    """After the warm-up: the learning rate, as it is or over the square root of the count of updates."""
    warmup: int = 8_000
    """Updates over which the rate grows linearly from 0."""
    clip: float = 1.0
    """Largest global norm of a gradient; a longer one is scaled down to it."""
