"""Configurations of DDPG, TD3 and SAC. Imports no TensorFlow."""

from __future__ import annotations

from dataclasses import dataclass, field

from worldmodels.agents.config import BOXES, AgentConfig, ImageNetworkKind
from worldmodels.core.configuration.ranges import AboveZero, NonNegative, Positive, Share, Size
from worldmodels.models.config import HeadConfig, LayerStyle, OptimizerConfig


def _adam() -> OptimizerConfig:
    return OptimizerConfig(learning_rate=1e-3, epsilon=1e-8, clip=1e9, weight_decay=0.0)


@dataclass(frozen=True)
class OffPolicyAgentConfig(AgentConfig):
    """The common part of agents that learn from single steps of any age; the defaults are Spinning Up's figures."""

    experience = frozenset({"imagination", "transitions"})  # a fact about the kind, not a setting: so without a type
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


@dataclass(frozen=True)
class DDPGConfig(OffPolicyAgentConfig):
    """Deep deterministic policy gradient (Lillicrap et al. 2016); the defaults are Spinning Up's figures."""

    kind: str = "ddpg"
    action_kinds = BOXES
    noise: NonNegative = 0.1
    """Standard deviation of the noise on actions, which are from -1 to 1, at temperature 1 (`act_noise` in Spinning
    Up)."""


@dataclass(frozen=True)
class TD3Config(OffPolicyAgentConfig):
    """Twin delayed DDPG (Fujimoto et al. 2018); the defaults are Spinning Up's figures."""

    kind: str = "td3"
    action_kinds = BOXES
    noise: NonNegative = 0.1
    """Standard deviation of the noise on actions, which are from -1 to 1, at temperature 1 (`act_noise` in Spinning
    Up)."""
    target_noise: NonNegative = 0.2
    """Standard deviation of the noise on the target policy's actions."""
    noise_clip: NonNegative = 0.5
    """Size beyond which that noise is clipped."""
    policy_delay: Positive = 2
    """Updates of the critics for one update of the policy and of the target networks."""


@dataclass(frozen=True)
class SACConfig(OffPolicyAgentConfig):
    """Soft actor-critic (Haarnoja et al. 2018), for boxes of actions and for choices (Christodoulou 2019); the defaults
    are Spinning Up's figures."""

    kind: str = "sac"
    alpha: AboveZero = 0.2
    """Weight of the policy's entropy, in nats, against the rewards; where it is learned, the first one (`ent_coef` in
    Stable-Baselines3)."""
    learn_alpha: bool = False
    """Learn the weight, so that the policy's entropy comes to a target: minus the number of numbers in a box (Haarnoja
    et al. 2018b)."""
    target_share: Share = 0.98
    """Target where actions are choices, as a share of the greatest entropy that there is."""
    alpha_optimizer: OptimizerConfig = field(default_factory=_adam)
    """Optimizer of the logarithm of the weight, where that is learned."""
