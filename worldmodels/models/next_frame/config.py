"""Configuration of the next-frame models. Imports no TensorFlow."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from worldmodels.models.api import ModelSpec
from worldmodels.models.config import AdafactorConfig, OptimizerConfig
from worldmodels.models.next_frame.patch_config import MotionOutputConfig, PatchNetworkConfig


@dataclass(frozen=True)
class ConvNetworkConfig:
    """SimPLe's layout: a U of strided convolutions with skips, any image size."""

    kind: str = "conv"
    hidden: int = 64
    """Channels at full resolution."""
    levels: int = 6
    """How often the resolution is halved on the way down, and doubled on the way up."""
    doublings: int = 2
    """How many of the first levels also double the channels."""
    middle_layers: int = 2
    """Convolutions at the lowest resolution."""
    dropout: float = 0.1
    """Share of values dropped before each level, while training."""
    middle_dropout: float = 0.5
    """Share of values dropped before each convolution at the lowest resolution, while training."""
    activation: Literal["relu", "belu"] = "relu"
    """`belu`: ELU on one half of the channels, its mirror image on the other, as when SimPLe was published."""


@dataclass(frozen=True)
class SoftmaxOutputConfig:
    """A softmax over the 256 values of every channel of every pixel."""

    kind: str = "softmax"


@dataclass(frozen=True)
class SamplingConfig:
    """How often, while training, a frame that the model made itself replaces the recorded one as its input.

    With probability p(t) at update t, for each frame of each example; see `schedules.sampling_probability`.
    """

    final: float = 1.0
    """The probability in the end; 0: never."""
    floor: float = 0.01
    """Where both factors of the probability begin; 1: they are 1 from the start."""
    exponential_updates: int = 10_000
    """Updates over which the first factor grows exponentially from the floor to 1; 0: it is 1."""
    linear_updates: int = 40_000
    """Updates over which the second factor grows linearly from the floor to 1; 0: it is 1."""


@dataclass(frozen=True)
class LatentConfig:
    """The bottleneck of discrete bits, and its predictor."""

    bits: int = 128
    group: int = 8
    """Bits that the predictor gives at once, as one class of 2 ** group; divides `bits`."""
    units: int = 128
    """Of the predictor's LSTM and of the embedding of a group."""
    noise: float = 0.2
    """Standard deviation of the noise on the logits."""
    flip: float = 0.1
    """Probability that a bit is flipped while training."""
    predictor_dropout: float = 0.1
    ramp_updates: int = 40_000
    """Updates until bits are always hard, and until `self_sampling` has its full probability."""
    self_sampling: float = 0.5
    """Final probability that a bit comes from the predictor while training."""
    use: float = 0.8
    """Final probability that an example uses its latent at all while training."""
    use_ramp_updates: int = 20_000
    """Updates until `use` has its full probability."""


@dataclass(frozen=True)
class DeterministicConfig:
    """The next frame from the last ones and the action; the defaults are SimPLe's figures."""

    kind: str = "deterministic"
    network: ConvNetworkConfig | PatchNetworkConfig = field(default_factory=ConvNetworkConfig)
    output: SoftmaxOutputConfig | MotionOutputConfig = field(default_factory=SoftmaxOutputConfig)
    frames: int = 4
    """Frames that the model sees, and that a window of the replay begins with; all after them are predicted."""
    sampling: SamplingConfig = field(default_factory=lambda: SamplingConfig(final=0.0))
    internal_loss: bool = False
    """Whether the first `frames` of a window are predicted too, each from those before."""
    pixel_noise: float = 0.05
    """Probability that an input pixel becomes the median colour of the batch, while training."""
    reward: Literal["classes", "symlog"] = "classes"
    """`classes`: the sign of the reward, as published; `symlog`: the reward itself, regressed as its symlog."""
    head_units: int = 128
    """Units of the hidden layer that the reward and the continuation are read from."""
    continuation: bool = True
    """Whether the end of episodes is predicted; without it, imagined episodes never end."""
    loss_cutoff: float = 0.01
    """Cross-entropy in nats, per channel of a pixel and of the reward's class, that is good enough."""
    optimizer: AdafactorConfig | OptimizerConfig = field(default_factory=AdafactorConfig)

    def spec(self, observation_shape: tuple[int, int, int], num_actions: int) -> ModelSpec:
        """Return what others need to know of the model; `observation_shape` is (H, W, C)."""
        return _spec(self.frames, observation_shape, num_actions)


@dataclass(frozen=True)
class StochasticDiscreteConfig:
    """The same with a bottleneck of discrete bits and recurrent memory; the defaults are SimPLe's figures."""

    kind: str = "stochastic_discrete"
    network: ConvNetworkConfig | PatchNetworkConfig = field(
        default_factory=lambda: ConvNetworkConfig(hidden=96, doublings=3, dropout=0.15)
    )
    output: SoftmaxOutputConfig | MotionOutputConfig = field(default_factory=SoftmaxOutputConfig)
    frames: int = 4
    """Frames that an agent sees, and that a window of the replay begins with; those after them are targets."""
    network_frames: int = 1
    """The newest of those frames, which the network sees; what came before them it remembers. At most `frames`."""
    memory: int = 64
    """Channels of the recurrent memory."""
    latent: LatentConfig = field(default_factory=LatentConfig)
    sampling: SamplingConfig = field(default_factory=SamplingConfig)
    internal_loss: bool = True
    """Whether the first `frames` of a window are predicted too, each from those before."""
    pixel_noise: float = 0.0
    """Probability that an input pixel becomes the median colour of the batch, while training."""
    reward: Literal["classes", "symlog"] = "classes"
    """`classes`: the sign of the reward, as published; `symlog`: the reward itself, regressed as its symlog."""
    head_units: int = 128
    """Units of the hidden layer that the reward and the continuation are read from."""
    continuation: bool = True
    """Whether the end of episodes is predicted; without it, imagined episodes never end."""
    loss_cutoff: float = 0.03
    """Cross-entropy in nats, per channel of a pixel and of the reward's class, that is good enough."""
    optimizer: AdafactorConfig | OptimizerConfig = field(
        default_factory=lambda: AdafactorConfig(learning_rate=0.002, schedule="constant", warmup=2000)
    )

    def spec(self, observation_shape: tuple[int, int, int], num_actions: int) -> ModelSpec:
        """Return what others need to know of the model; `observation_shape` is (H, W, C)."""
        return _spec(self.frames, observation_shape, num_actions)


def _spec(frames: int, observation_shape: tuple[int, int, int], num_actions: int) -> ModelSpec:
    height, width, channels = observation_shape
    features = (height, width, frames * channels)
    # At least one frame more than the model sees, to predict it.
    return ModelSpec(observation_shape, num_actions, "images", features, min_sequence_length=frames + 1)
