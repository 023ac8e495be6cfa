"""Configuration of the parts that world models and agents are made of. Imports no TensorFlow."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Literal, Protocol

from worldmodels.core.configuration.number_schedules import ScheduledRate
from worldmodels.core.configuration.ranges import (
    AboveZero,
    BelowOne,
    Count,
    Section,
    Share,
    Size,
    above,
    at_least,
    limits,
)
from worldmodels.core.specs import ActionSpec, ObservationSpec
from worldmodels.models.api import ModelSpec


class ModelConfig(Protocol):
    """The configuration of a model of any kind: a frozen dataclass whose first field is `kind: str = "name"`."""

    @property
    def kind(self) -> str:
        """The name of the kind in YAML."""

    def spec(self, observation: ObservationSpec, action: ActionSpec) -> ModelSpec:
        """Return what others need to know of the model; raises ConfigError where it cannot have these spaces."""

    def __hash__(self) -> int:
        """Return a hash of the settings, which a frozen dataclass has."""


@dataclass(frozen=True)
class ConvConfig(Section):
    """Convolutions of stride 2 without padding, the image layout of Dreamer; 64x64 images only."""

    kind: str = "conv"
    depth: Size = 48
    """Channels of the layer nearest to the image; each further layer has twice as many (`cnn_depth` in DreamerV2)."""


@dataclass(frozen=True)
class PatchConfig(Section):
    """Dense layers on square patches that do not overlap: far cheaper on a CPU than wide layers near the image."""

    kind: str = "patch"
    patch: Size = 8
    """Side of a patch in pixels; twice this side must divide the image's sides."""
    depth: Size = 64
    """Channels of the layer nearest to the image; the further layer has twice as many."""


@dataclass(frozen=True)
class LayerStyle(Section):
    """The norm and the nonlinearity that follow each hidden layer; the defaults are DreamerV2's, rms and silu V3's."""

    norm: Literal["none", "rms", "layer"] = "none"
    """Norm of what the layer gives: none, its root mean square (RMSNorm; Zhang & Sennrich 2019), or its mean and
    deviation (LayerNorm; Ba et al. 2016; `norm: layer` in DreamerV2)."""
    activation: Literal["elu", "silu", "relu", "tanh"] = "elu"
    """Nonlinearity."""


@dataclass(frozen=True)
class HeadConfig(Section):
    """A stack of dense layers on a feature vector."""

    layers: Annotated[int, at_least(0), limits(0, 1_000)] = 4
    """Hidden layers; 0 reads the output from the features themselves."""
    units: Size = 400
    """Units of each hidden layer."""


@dataclass(frozen=True)
class OptimizerConfig(Section):
    """Adam with clipping by the global norm and decoupled weight decay."""

    kind: str = "adam"
    learning_rate: ScheduledRate = 2e-4
    """Size of a step (`lr` in DreamerV2), or a schedule of it over the updates."""
    beta1: BelowOne = 0.9
    """Share of the first moment that each update keeps."""
    beta2: BelowOne = 0.999
    """Share of the second moment that each update keeps."""
    epsilon: Annotated[float, above(0), limits(1e-30, 1)] = 1e-5
    """Summand that keeps the division by the root of the second moment finite (`eps` in DreamerV2)."""
    clip: AboveZero = 100.0
    """Largest global norm of a gradient; a longer one is scaled down to it (`max_grad_norm` in Stable-Baselines3)."""
    weight_decay: Share = 1e-6
    """Share of every weight that is taken away at each update, whatever the learning rate (`wd` in DreamerV2)."""
    warmup: Count = 0
    """Updates over which the learning rate grows linearly from 0."""


@dataclass(frozen=True)
class LaPropConfig(Section):
    """LaProp with adaptive gradient clipping (Ziyin et al. 2020; Brock et al. 2021); the defaults are DreamerV3's."""

    kind: str = "laprop"
    learning_rate: ScheduledRate = 4e-5
    """Size of a step (`lr` in DreamerV3), or a schedule of it over the updates."""
    beta1: BelowOne = 0.9
    """Share of the average of steps that each update keeps."""
    beta2: BelowOne = 0.999
    """Share of the average of squared gradients that each update keeps."""
    epsilon: Annotated[float, above(0), limits(1e-30, 1)] = 1e-20
    """Summand that keeps the division by the root of that average finite (`eps` in DreamerV3)."""
    clip_ratio: AboveZero = 0.3
    """Largest norm of a weight's gradient, as a multiple of the norm of the weight (`agc` in DreamerV3)."""
    warmup: Count = 1_000
    """Updates over which the learning rate grows linearly from 0."""


@dataclass(frozen=True)
class AdafactorConfig(Section):
    """Adafactor (Shazeer & Stern 2018) without momentum; the defaults are SimPLe's figures."""

    kind: str = "adafactor"
    learning_rate: Annotated[float, above(0), limits(1e-12, 100)] = 1.5
    """Size of a step relative to the size of each weight; see `schedule`."""
    schedule: Literal["inverse_square_root", "constant"] = "inverse_square_root"
    """Course after the warm-up: the learning rate as it is, or over the square root of the count of updates."""
    warmup: Count = 8_000
    """Updates over which the rate grows linearly from 0."""
    clip: AboveZero = 1.0
    """Largest global norm of a gradient; a longer one is scaled down to it."""
