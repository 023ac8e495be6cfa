"""Configuration of the next-frame models. Imports no TensorFlow."""

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
from worldmodels.models.config import AdafactorConfig, OptimizerConfig
from worldmodels.models.next_frame.networks.patch_config import MotionOutputConfig, PatchNetworkConfig

RewardKind = Literal["classes", "symlog", "hurdle"]
FeaturesOf = Literal["frames", "network"]

Levels = Annotated[int, at_least(0), limits(0, 16)]
"""A number of times that something doubles."""


@dataclass(frozen=True)
class ConvNetworkConfig(Section):
    """SimPLe's layout: a U of strided convolutions with skips, any image size."""

    kind: str = "conv"
    hidden: Size = 64
    """Channels at full resolution (`hidden_size` in SimPLe's code)."""
    levels: Levels = 6
    """Number of times that the resolution is halved on the way down, and doubled on the way up (`num_compress_steps` in
    SimPLe's code)."""
    doublings: Levels = 2
    """Number of the first levels that also double the channels (`filter_double_steps` in SimPLe's code)."""
    middle_layers: Annotated[int, at_least(1), limits(1, 1_000)] = 2
    """Convolutions at the lowest resolution (`num_hidden_layers` in SimPLe's code)."""
    dropout: BelowOne = 0.1
    """Share of values dropped before each level, while training."""
    middle_dropout: BelowOne = 0.5
    """Share of values dropped before each convolution at the lowest resolution, while training."""
    activation: Literal["relu", "belu"] = "relu"
    """Activation of the hidden layers; `belu` is ELU on one half of the channels and its mirror image on the other, as
    when SimPLe was published."""

    def bottleneck_shape(self, image_shape: tuple[int, int, int]) -> tuple[int, int, int]:
        """Return height, width and channels at the lowest resolution for frames (H, W, C)."""
        height, width, _ = image_shape
        for _ in range(self.levels):
            height, width = (height + 1) // 2, (width + 1) // 2
        return height, width, self.channels(self.levels)

    def channels(self, level: int) -> int:
        """Return the channels after so many halvings."""
        return self.hidden * 2 ** min(level, self.doublings)

    def representation_size(self, image_shape: tuple[int, int, int]) -> int:
        """Return the size of what the network makes of frames (H, W, C): all that is at the lowest resolution."""
        return math.prod(self.bottleneck_shape(image_shape))


@dataclass(frozen=True)
class SoftmaxOutputConfig(Section):
    """A softmax over the 256 values of every channel of every pixel."""

    kind: str = "softmax"


@dataclass(frozen=True)
class SamplingConfig(Section):
    """The share of training inputs that are frames of the model itself in place of recorded ones.

    With probability p(t) at update t, for each frame of each example; see `schedules.sampling_probability`.
    """

    final: Share = 1.0
    """Probability in the end; 0: never."""
    floor: Share = 0.01
    """Value at which both factors of the probability begin; 1: they are 1 from the start."""
    exponential_updates: Count = 10_000
    """Updates over which the first factor grows exponentially from the floor to 1; 0: it is 1."""
    linear_updates: Count = 40_000
    """Updates over which the second factor grows linearly from the floor to 1; 0: it is 1."""


@dataclass(frozen=True)
class LatentConfig(Section):
    """The bottleneck of discrete bits, and its predictor."""

    bits: Size = 128
    """Number of bits of a latent (`bottleneck_bits` in SimPLe's code)."""
    group: Annotated[int, between(1, 16)] = 8
    """Bits that the predictor gives at once, as one class of 2 ** group; divides `bits`."""
    units: Size = 128
    """Units of the predictor's LSTM and of the embedding of a group."""
    noise: NonNegative = 0.2
    """Standard deviation of the noise on the logits (`bottleneck_noise` in SimPLe's code)."""
    flip: Share = 0.1
    """Probability that a bit is flipped while training."""
    predictor_dropout: BelowOne = 0.1
    """Share of the predictor's values that is dropped while training."""
    ramp_updates: Count = 40_000
    """Updates until bits are always hard, and until `self_sampling` has its full probability."""
    self_sampling: Share = 0.5
    """Final probability that a bit comes from the predictor while training."""
    use: Share = 0.8
    """Final probability that an example uses its latent at all while training."""
    use_ramp_updates: Count = 20_000
    """Updates until `use` has its full probability."""

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.bits % self.group:
            raise RangeError(self, "group", f"divide bits, which is {self.bits}")


@dataclass(frozen=True)
class DeterministicConfig(Section):
    """A model of the next frame from the last ones and the action; the defaults are SimPLe's figures."""

    kind: str = "deterministic"
    learns_on_devices = True  # a fact about the kind, not a setting: so without a type
    network: ConvNetworkConfig | PatchNetworkConfig = field(default_factory=ConvNetworkConfig)
    """Layout of the network."""
    output: SoftmaxOutputConfig | MotionOutputConfig = field(default_factory=SoftmaxOutputConfig)
    """Way in which a frame is drawn."""
    frames: Size = 4
    """Frames that the model sees, and that a window of the replay begins with; all after them are predicted
    (`video_num_input_frames` in SimPLe's code)."""
    features: FeaturesOf = "frames"
    """Features of an agent: the last `frames` frames, as published, or what the network makes of them before it knows
    the action, a vector, which the model's losses have taught to say what moves and what is where."""
    sampling: SamplingConfig = field(default_factory=lambda: SamplingConfig(final=0.0))
    """Use of the model's own frames in training."""
    internal_loss: bool = False
    """Whether the first `frames` of a window are predicted too, each from those before."""
    pixel_noise: Share = 0.05
    """Probability that an input pixel becomes the median colour of the batch, while training."""
    reward: RewardKind = "classes"
    """Quantity that is predicted: `classes` is the sign of the reward, as published; `symlog` is the reward itself,
    regressed as its symlog; `hurdle` is the probability that there is any, and its symlog if so."""
    event_weight: Annotated[float, at_least(1), limits(1, 10_000)] = 1.0
    """Number of times that the end of an episode counts in the loss, and a reward where `reward` is hurdle; the
    predicted probabilities are corrected for it."""
    head_units: Size = 128
    """Units of the hidden layer that the reward and the continuation are read from."""
    event_depth: Count = 0
    """Channels of a network of its own for reward and continuation, which sees the frames before and after the step; 0:
    they are read from what the frame's network says of the step as a whole, as published."""
    event_shift: Annotated[int, between(0, 16)] = 0
    """Pixels by which that network's frames are moved at most, both alike, while it learns."""
    continuation: bool = True
    """Whether the end of episodes is predicted; without it, imagined episodes never end."""
    loss_cutoff: NonNegative = 0.01
    """Cross-entropy in nats, per channel of a pixel and of the reward's class, that is good enough
    (`video_modality_loss_cutoff` in SimPLe's code)."""
    optimizer: AdafactorConfig | OptimizerConfig = field(default_factory=AdafactorConfig)
    """Optimizer of the whole model."""

    def spec(self, observation: ObservationSpec, action: ActionSpec) -> ModelSpec:
        """Return what others need to know of the model; raises ConfigError where it cannot have these spaces."""
        return _spec(self, observation, action)


@dataclass(frozen=True)
class StochasticDiscreteConfig(Section):
    """A next-frame model with a bottleneck of discrete bits and recurrent memory; the defaults are SimPLe's figures."""

    kind: str = "stochastic_discrete"
    learns_on_devices = True  # a fact about the kind, not a setting: so without a type
    network: ConvNetworkConfig | PatchNetworkConfig = field(
        default_factory=lambda: ConvNetworkConfig(hidden=96, doublings=3, dropout=0.15)
    )
    """Layout of the network."""
    output: SoftmaxOutputConfig | MotionOutputConfig = field(default_factory=SoftmaxOutputConfig)
    """Way in which a frame is drawn."""
    frames: Size = 4
    """Frames that an agent sees, and that a window of the replay begins with; those after them are targets."""
    features: FeaturesOf = "frames"
    """Features of an agent: the last `frames` frames, as published, or what the network makes of them before it knows
    the action, a vector, which the model's losses have taught to say what moves and what is where."""
    network_frames: Size = 1
    """Number of the newest of those frames, which the network sees; what came before them it remembers. At most
    `frames`."""
    memory: Annotated[int, at_least(0), limits(0, 65_536)] = 64
    """Channels of the recurrent memory."""
    latent: LatentConfig = field(default_factory=LatentConfig)
    """Discrete bits of what the frames before do not tell."""
    sampling: SamplingConfig = field(default_factory=SamplingConfig)
    """Use of the model's own frames in training."""
    internal_loss: bool = True
    """Whether the first `frames` of a window are predicted too, each from those before."""
    pixel_noise: Share = 0.0
    """Probability that an input pixel becomes the median colour of the batch, while training."""
    reward: RewardKind = "classes"
    """Quantity that is predicted: `classes` is the sign of the reward, as published; `symlog` is the reward itself,
    regressed as its symlog; `hurdle` is the probability that there is any, and its symlog if so."""
    event_weight: Annotated[float, at_least(1), limits(1, 10_000)] = 1.0
    """Number of times that the end of an episode counts in the loss, and a reward where `reward` is hurdle; the
    predicted probabilities are corrected for it."""
    head_units: Size = 128
    """Units of the hidden layer that the reward and the continuation are read from."""
    event_depth: Count = 0
    """Channels of a network of its own for reward and continuation, which sees the frames before and after the step; 0:
    they are read from what the frame's network says of the step as a whole, as published."""
    event_shift: Annotated[int, between(0, 16)] = 0
    """Pixels by which that network's frames are moved at most, both alike, while it learns."""
    continuation: bool = True
    """Whether the end of episodes is predicted; without it, imagined episodes never end."""
    loss_cutoff: NonNegative = 0.03
    """Cross-entropy in nats, per channel of a pixel and of the reward's class, that is good enough
    (`video_modality_loss_cutoff` in SimPLe's code)."""
    optimizer: AdafactorConfig | OptimizerConfig = field(
        default_factory=lambda: AdafactorConfig(learning_rate=0.002, schedule="constant", warmup=2000)
    )
    """Optimizer of the whole model."""

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.network_frames > self.frames:
            raise RangeError(self, "network_frames", f"be at most frames, which is {self.frames}")

    def spec(self, observation: ObservationSpec, action: ActionSpec) -> ModelSpec:
        """Return what others need to know of the model; raises ConfigError where it cannot have these spaces."""
        groups = (self.latent.bits // self.latent.group, 2**self.latent.group)
        return _spec(self, observation, action)._replace(latent_groups=groups)


def _spec(
    config: DeterministicConfig | StochasticDiscreteConfig, observation: ObservationSpec, action: ActionSpec
) -> ModelSpec:
    given = images_and_choices(config.kind, observation, action)
    height, width, channels = image_shape(observation)
    if config.features == "frames":
        features = ObservationSpec.of(height, width, config.frames * channels)
    else:
        features = ObservationSpec.of(config.network.representation_size((height, width, channels)))
    # At least one frame more than the model sees, to predict it.
    return ModelSpec(*given, features, min_sequence_length=config.frames + 1, imagines_images=True)
