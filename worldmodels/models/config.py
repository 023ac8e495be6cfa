"""World models and agents share these configurations of parts, which import no TensorFlow; that of the
frame stack stands here, too, and so do the sizes of a grid of patches that covers an image."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Literal, Protocol

from worldmodels.core.configuration.ranges import (
    AboveZero,
    BelowOne,
    Count,
    ScheduledRate,
    Section,
    Share,
    Size,
    above,
    at_least,
    limits,
)
from worldmodels.core.specs import ActionSpec, ArraySpec, ObservationSpec
from worldmodels.models.api import ModelSpec


class ModelConfig(Protocol):
    """The configuration of a model of any kind: a frozen dataclass whose first field is `kind: str = "name"`."""

    @property
    def kind(self) -> str:
        """The name of the kind in YAML."""

    def spec(self, observation: ObservationSpec, action: ActionSpec) -> ModelSpec:
        """Return the model's spec; raise ConfigError if the model does not support these spaces."""

    def __hash__(self) -> int:
        """Return a hash of the settings; a frozen dataclass has one."""


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
    """The norm and the activation behind each hidden layer; DreamerV2's by default, DreamerV3's with rms and silu."""

    norm: Literal["none", "rms", "layer"] = "none"
    """Norm behind each hidden layer. `rms`: by the root mean square (Zhang & Sennrich 2019). `layer`: by mean and
    deviation (Ba et al. 2016; `norm: layer` in DreamerV2)."""
    activation: Literal["elu", "silu", "relu", "tanh"] = "elu"
    """Activation behind each hidden layer."""


@dataclass(frozen=True)
class HeadConfig(Section):
    """A stack of dense layers on a feature vector."""

    layers: Annotated[int, at_least(0), limits(0, 1_000)] = 4
    """Number of hidden layers; 0: the output reads the features themselves."""
    units: Size = 400
    """Units of each hidden layer."""


@dataclass(frozen=True)
class MomentConfig(Section):
    """The settings that Adam and LaProp share."""

    learning_rate: ScheduledRate = 2e-4
    """Size of a step, or a schedule of it over the updates (`lr` in DreamerV2 and V3)."""
    beta1: BelowOne = 0.9
    """Share of the first moment that each update keeps."""
    beta2: BelowOne = 0.999
    """Share of the second moment that each update keeps."""
    epsilon: Annotated[float, above(0), limits(1e-30, 1)] = 1e-5
    """Summand that keeps the division by the root of the second moment finite (`eps` in DreamerV2 and V3)."""
    warmup: Count = 0
    """Updates over which the learning rate grows linearly from 0. 0 disables it."""


@dataclass(frozen=True)
class OptimizerConfig(MomentConfig):
    """Adam with clipping by the global norm and decoupled weight decay."""

    kind: str = "adam"
    clip: AboveZero = 100.0
    """Largest global norm of a gradient; a longer one is scaled down to it (`max_grad_norm` in Stable-Baselines3)."""
    weight_decay: Share = 1e-6
    """Share of every weight that each update removes, independent of the learning rate (`wd` in DreamerV2). 0 disables
    it."""


@dataclass(frozen=True)
class LaPropConfig(MomentConfig):
    """LaProp with adaptive gradient clipping (Ziyin et al. 2020; Brock et al. 2021); the defaults are DreamerV3's."""

    kind: str = "laprop"
    learning_rate: ScheduledRate = 4e-5
    epsilon: Annotated[float, above(0), limits(1e-30, 1)] = 1e-20
    warmup: Count = 1_000
    clip_ratio: AboveZero = 0.3
    """Largest norm of a weight's gradient, as a multiple of the norm of the weight (`agc` in DreamerV3)."""


@dataclass(frozen=True)
class AdafactorConfig(Section):
    """Adafactor (Shazeer & Stern 2018) without momentum; the defaults are SimPLe's figures."""

    kind: str = "adafactor"
    learning_rate: Annotated[float, above(0), limits(1e-12, 100)] = 1.5
    """Size of a step relative to the size of each weight, before `schedule`."""
    schedule: Literal["inverse_square_root", "constant"] = "inverse_square_root"
    """Course after the warm-up. `constant`: the learning rate. `inverse_square_root`: divided by the root of the
    number of updates."""
    warmup: Count = 8_000
    """Updates over which the rate grows linearly from 0. 0 disables it."""
    clip: AboveZero = 1.0
    """Largest global norm of a gradient; a longer one is scaled down to it."""


@dataclass(frozen=True)
class FrameStackConfig(Section):
    """No world model: the agent reads the newest observations, and learns in the real environment alone."""

    kind: str = "frames"
    frames: Size = 4
    """Images in the stack (`n_stack` in Stable-Baselines3). An episode begins with copies of its first image. Of
    vectors an agent reads the newest alone."""

    def spec(self, observation: ObservationSpec, action: ActionSpec) -> ModelSpec:
        """Return the model's spec."""
        features = ObservationSpec(tuple((name, self._stacked(part)) for name, part in observation.parts))
        return ModelSpec(observation, action, features, imagines=False)

    def _stacked(self, part: ArraySpec) -> ArraySpec:
        if not part.is_image:
            return part
        height, width, channels = part.shape
        return ArraySpec((height, width, self.frames * channels))


def grid_shape(observation_shape: tuple[int, int, int], patch: int) -> tuple[int, int]:
    """Return rows and columns of patches with sides of at most `patch`, an even number."""
    return -(-observation_shape[0] // patch), -(-observation_shape[1] // patch)


def patch_side(observation_shape: tuple[int, int, int], grid: tuple[int, int]) -> int:
    """Return the least even side of patches with which the grid covers the image."""
    side = max(-(-pixels // count) for pixels, count in zip(observation_shape, grid, strict=False))
    return side + side % 2
