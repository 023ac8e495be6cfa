"""The configurations of the example's model and agent; importing this registers both. Imports no TensorFlow."""

from __future__ import annotations

from dataclasses import dataclass, field

from worldmodels.agents import register_agent
from worldmodels.agents.config import DISCRETE, AgentConfig
from worldmodels.core.configuration.ranges import NonNegative, Positive, Section, Share
from worldmodels.core.specs import ActionSpec, ObservationSpec
from worldmodels.models import register_model
from worldmodels.models.api import ModelSpec, image_shape, images_and_choices
from worldmodels.models.config import OptimizerConfig


@dataclass(frozen=True)
class DriftConfig(Section):
    """A world model whose pixels go on as they went, plus a change that depends on the action."""

    kind: str = "drift"
    optimizer: OptimizerConfig = field(default_factory=lambda: OptimizerConfig(learning_rate=0.05, weight_decay=0.0))
    """Optimizer of the whole model."""

    def spec(self, observation: ObservationSpec, action: ActionSpec) -> ModelSpec:
        """Return what others need to know of the model; raises ConfigError unless it sees images and has choices."""
        given = images_and_choices(self.kind, observation, action)
        height, width, channels = image_shape(observation)
        return ModelSpec(*given, ObservationSpec.of(height, width, 2 * channels), min_sequence_length=2)


@dataclass(frozen=True)
class LinearPolicyConfig(AgentConfig):
    """A linear softmax policy that learns by REINFORCE (Williams 1992) in imagination."""

    kind: str = "linear_policy"
    action_kinds, feature_kinds = DISCRETE, ("vector", "images")  # facts about the kind: so without types
    horizon: Positive = 8
    """Steps of each imagined rollout."""
    discount: Share = 0.95
    """Weight of each step's future against its present."""
    entropy: NonNegative = 0.01
    """Weight of the policy's entropy, in nats."""
    optimizer: OptimizerConfig = field(default_factory=lambda: OptimizerConfig(learning_rate=1e-3, weight_decay=0.0))
    """Optimizer of the policy."""


register_model("drift", DriftConfig, "worldmodels_example.model:Drift")
register_agent("linear_policy", LinearPolicyConfig, "worldmodels_example.agent:LinearPolicy")
