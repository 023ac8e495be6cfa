"""The configuration of the flow model imports no TensorFlow."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Annotated

from worldmodels.core.configuration.ranges import Section, Size, at_least, limits
from worldmodels.core.errors import ConfigError
from worldmodels.core.specs import ActionSpec, ObservationSpec
from worldmodels.models.api import ModelSpec, image_shape
from worldmodels.models.config import OptimizerConfig

NETWORK, AVERAGED = "flow", "averaged"
"""Names of the network that learns and of its averages, which draw; the weights of both have the same names below."""


def _adam() -> OptimizerConfig:
    return OptimizerConfig(learning_rate=6e-4, beta2=0.99, epsilon=1e-8, clip=1.0, warmup=200, weight_decay=1e-5)


@dataclass(frozen=True)
class FlowConfig(Section):
    """A model that samples the next frame by rectified flow; the defaults suit a laptop's processor."""

    kind: str = "flow"
    learns_on_devices = True  # a fact about the kind, not a setting: so without a type
    frames: Size = 4
    """Number of the last frames that the model reads. A window of the replay begins with as many frames; later frames
    are targets."""
    width: Annotated[int, at_least(4), limits(4, 4_096)] = 128
    """Channels of each place, a square of 4 x 4 pixels."""
    blocks: Size = 5
    """Residual blocks of two convolutions at the resolution of places."""
    calls: Size = 3
    """Calls of the network for each sampled frame (`num_steps_denoising` in DIAMOND). More calls give finer frames, and
    take as much more time. At temperature 0 one call gives the mean."""
    optimizer: OptimizerConfig = field(default_factory=_adam)
    """Optimizer of the network of frames; the networks of rewards and ends have one of their own."""

    def spec(self, observation: ObservationSpec, action: ActionSpec) -> ModelSpec:
        """Return the model's spec; raise ConfigError if observations are not images."""
        try:
            height, width, channels = image_shape(observation)
        except ConfigError as error:
            raise ConfigError(f"model.kind is 'flow', which does not fit this environment. {error}") from error
        features = ObservationSpec.of(height, width, self.frames * channels)
        return ModelSpec(
            observation,
            action,
            features,
            min_sequence_length=self.frames + 1,
            imagines_images=True,
            calls=self.calls,
        )
