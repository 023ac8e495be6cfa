"""Configuration that DDPG, TD3 and SAC share. Imports no TensorFlow."""

from __future__ import annotations

from dataclasses import dataclass, field

from worldmodels.agents.config import ANY_ACTIONS, ANY_FEATURES, ImageNetworkKind
from worldmodels.core.configuration.ranges import Section, Share, Size
from worldmodels.models.config import HeadConfig, LayerStyle, OptimizerConfig


def _adam() -> OptimizerConfig:
    return OptimizerConfig(learning_rate=1e-3, epsilon=1e-8, clip=1e9, weight_decay=0.0)


@dataclass(frozen=True)
class OffPolicyAgentConfig(Section):
    """The common part of agents that learn from single steps of any age; the defaults are Spinning Up's figures."""

    kind: str = ""
    # Facts about the kind, not settings: so without types.
    learns_from_experience = False
    learns_from_transitions = True
    action_kinds, feature_kinds = ANY_ACTIONS, ANY_FEATURES
    network: HeadConfig = field(default_factory=lambda: HeadConfig(layers=2, units=256))
    """Hidden layers of the policy, and of each critic (`hid` and `l` in Spinning Up)."""
    style: LayerStyle = field(default_factory=lambda: LayerStyle(activation="relu"))
    """Norm and nonlinearity of the policy's hidden layers; those of critics have the nonlinearity alone."""
    images: ImageNetworkKind = "small"
    """Network in front of the policy, and another in front of the critics, for each image among the features."""
    normalize_features: bool = False
    """Bring each number of a vector to mean 0 and variance 1 over all that the agent has learned from (`norm_obs` of
    Stable-Baselines3's VecNormalize)."""
    discount: Share = 0.99
    """Weight of each step's future against its present (`gamma` in Spinning Up)."""
    polyak: Share = 0.995
    """Share of itself that a target network keeps at each update; the rest comes from the network that it follows
    (1 - `tau` in Stable-Baselines3)."""
    horizon: Size = 5
    """Steps of each rollout where the agent learns in imagination."""
    minibatch: Size = 100
    """Imagined steps for one update; all of them where there are fewer. What is left over is dropped. The loop says how
    many recorded ones there are."""
    actor_optimizer: OptimizerConfig = field(default_factory=_adam)
    """Optimizer of the policy (`pi_lr` in Spinning Up)."""
    critic_optimizer: OptimizerConfig = field(default_factory=_adam)
    """Optimizer of the critics (`q_lr` in Spinning Up)."""
