"""The configurations of the next-frame models and of their networks' layouts import no TensorFlow."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Annotated, Literal

from worldmodels.core.configuration.ranges import (
    BelowOne,
    Count,
    NonNegative,
    RangeError,
    Section,
    Share,
    Size,
    at_least,
    between,
    limits,
)
from worldmodels.core.specs import ActionSpec, ObservationSpec
from worldmodels.models.api import ModelSpec, image_shape, images_and_choices
from worldmodels.models.config import AdafactorConfig, OptimizerConfig, grid_shape

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
    moved_scale: NonNegative = 0.0
    """Additional weight in the loss of pixels that differ from the newest frame, or are predicted to, by more than 0.04
    in all channels together, each from 0 to 1. Weights are then scaled to a mean of 1. 0 disables it."""


Levels = Annotated[int, at_least(0), limits(0, 16)]
"""A number of doublings."""


@dataclass(frozen=True)
class ConvNetworkConfig(Section):
    """SimPLe's layout: strided convolutions down and up again, with skips; any image size."""

    kind: str = "conv"
    hidden: Size = 64
    """Channels at full resolution (`hidden_size` in SimPLe's code)."""
    levels: Levels = 6
    """Number of levels: each halves the resolution on the way down and doubles it on the way up
    (`num_compress_steps` in SimPLe's code)."""
    doublings: Levels = 2
    """Number of the first levels that also double the channels (`filter_double_steps` in SimPLe's code)."""
    dropout: BelowOne = 0.1
    """Share of values dropped before each level in training. 0 disables it."""
    middle_dropout: BelowOne = 0.5
    """Share of values dropped before each convolution at the lowest resolution in training. 0 disables it."""

    def bottleneck_shape(self, image_shape: tuple[int, int, int]) -> tuple[int, int, int]:
        """Return height, width and channels at the lowest resolution for frames (H, W, C)."""
        height, width, _ = image_shape
        for _ in range(self.levels):
            height, width = (height + 1) // 2, (width + 1) // 2
        return height, width, self.channels(self.levels)

    def channels(self, level: int) -> int:
        """Return the channels after `level` halvings."""
        return self.hidden * 2 ** min(level, self.doublings)

    def representation_size(self, image_shape: tuple[int, int, int]) -> int:
        """Return the size of the network's representation of frames (H, W, C): all values at the lowest resolution."""
        return math.prod(self.bottleneck_shape(image_shape))


@dataclass(frozen=True)
class SoftmaxOutputConfig(Section):
    """A softmax over the 256 values of every channel of every pixel."""

    kind: str = "softmax"


@dataclass(frozen=True)
class SamplingConfig(Section):
    """Each recorded frame among the inputs becomes one of the model's own, with a probability that grows over time.

    `schedules.sampling_probability` computes it from the number of updates.
    """

    final: Share = 1.0
    """Final probability. 0 disables it."""
    exponential_updates: Count = 10_000
    """Updates over which the first factor grows exponentially from 0.01 to 1; 0: it is 1."""
    linear_updates: Count = 40_000
    """Updates over which the second factor grows linearly from 0.01 to 1; 0: it is 1."""


@dataclass(frozen=True)
class LatentConfig(Section):
    """The bottleneck of discrete bits, and its predictor."""

    bits: Size = 128
    """Number of bits of a latent (`bottleneck_bits` in SimPLe's code)."""
    group: Annotated[int, between(1, 16)] = 8
    """Bits that the predictor gives at once, as one class of 2 ** group; divides `bits`."""
    units: Size = 128
    """Units of the predictor's LSTM and of the embedding of a group."""
    predictor_dropout: BelowOne = 0.1
    """Share of the predictor's values that is dropped in training. 0 disables it."""
    ramp_updates: Count = 40_000
    """Updates after which bits are always hard, and half of them are the predictor's own in training."""
    use_ramp_updates: Count = 20_000
    """Updates over which the share of examples that use their latent in training grows from 0 to 0.8."""

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.bits % self.group:
            raise RangeError(self, "group", f"divide bits, which is {self.bits}")


@dataclass(frozen=True)
class NextFrameConfig(Section):
    """The settings that both next-frame models share; the defaults are SimPLe's figures for the deterministic one."""

    # Facts about the kind, not settings: so without types. A model of a kind makes `kind` a key.
    kind = ""
    learns_on_devices = True
    network: ConvNetworkConfig | PatchNetworkConfig = field(default_factory=ConvNetworkConfig)
    """Layout of the network."""
    output: SoftmaxOutputConfig | MotionOutputConfig = field(default_factory=SoftmaxOutputConfig)
    """Layers that draw a frame."""
    frames: Size = 4
    """Number of the last frames in a state. A window of the replay begins with as many frames; later frames are
    targets (`video_num_input_frames` in SimPLe's code)."""
    features: Literal["frames", "network"] = "frames"
    """Features of an agent. `frames`: the last frames, as published. `network`: the network's representation before
    the action enters, a vector."""
    sampling: SamplingConfig = field(default_factory=lambda: SamplingConfig(final=0.0))
    """Scheduled sampling in training."""
    internal_loss: bool = False
    """Predict the first `frames` of a window too, each from the frames before it."""
    pixel_noise: Share = 0.05
    """Probability with which an input pixel becomes the median colour of the batch in training. 0 disables it."""
    reward: Literal["classes", "symlog", "hurdle"] = "classes"
    """Predicted quantity of a reward. `classes`: its sign, as published. `symlog`: a regression of its symlog.
    `hurdle`: the probability that there is a reward, and a regression of its symlog if there is."""
    event_weight: Annotated[float, at_least(1), limits(1, 10_000)] = 1.0
    """Weight of episode ends in the loss, and of rewards if `reward` is hurdle. Predicted probabilities are corrected
    for it."""
    head_units: Size = 128
    """Units of the hidden layer of the reward head and of the continuation head."""
    event_depth: Count = 0
    """Channels of a separate network for reward and continuation, which reads the frames before and after the step. 0
    disables it: the frame's network predicts both, as published."""
    continuation: bool = True
    """Predict the end of episodes; false: imagined episodes never end."""
    loss_cutoff: NonNegative = 0.01
    """Cross-entropy, in nats per channel of a pixel and per reward, below which the loss is 0
    (`video_modality_loss_cutoff` in SimPLe's code)."""
    optimizer: AdafactorConfig | OptimizerConfig = field(default_factory=AdafactorConfig)
    """Optimizer of the whole model."""

    def spec(self, observation: ObservationSpec, action: ActionSpec) -> ModelSpec:
        """Return the model's spec; raise ConfigError if the model does not support these spaces."""
        given = images_and_choices(self.kind, observation, action)
        height, width, channels = image_shape(observation)
        if self.features == "frames":
            features = ObservationSpec.of(height, width, self.frames * channels)
        else:
            features = ObservationSpec.of(self.network.representation_size((height, width, channels)))
        # One frame more than a state holds is the least to predict.
        return ModelSpec(*given, features, min_sequence_length=self.frames + 1, imagines_images=True)


@dataclass(frozen=True)
class DeterministicConfig(NextFrameConfig):
    """A model of the next frame from the last frames and the action; the defaults are SimPLe's figures."""

    kind: str = "deterministic"


@dataclass(frozen=True)
class StochasticDiscreteConfig(NextFrameConfig):
    """A next-frame model with a bottleneck of discrete bits and recurrent memory; the defaults are SimPLe's figures."""

    kind: str = "stochastic_discrete"
    network: ConvNetworkConfig | PatchNetworkConfig = field(
        default_factory=lambda: ConvNetworkConfig(hidden=96, doublings=3, dropout=0.15)
    )
    network_frames: Size = 1
    """Number of the newest frames that the network reads, at most `frames`; the memory holds earlier ones."""
    memory: Annotated[int, at_least(0), limits(0, 65_536)] = 64
    """Channels of the recurrent memory. 0 disables it."""
    latent: LatentConfig = field(default_factory=LatentConfig)
    """Discrete bits of a step, for events that earlier frames do not determine."""
    sampling: SamplingConfig = field(default_factory=SamplingConfig)
    internal_loss: bool = True
    pixel_noise: Share = 0.0
    loss_cutoff: NonNegative = 0.03
    optimizer: AdafactorConfig | OptimizerConfig = field(
        default_factory=lambda: AdafactorConfig(learning_rate=0.002, schedule="constant", warmup=2000)
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.network_frames > self.frames:
            raise RangeError(self, "network_frames", f"be at most frames, which is {self.frames}")

    def spec(self, observation: ObservationSpec, action: ActionSpec) -> ModelSpec:
        groups = (self.latent.bits // self.latent.group, 2**self.latent.group)
        return super().spec(observation, action)._replace(latent_groups=groups)
