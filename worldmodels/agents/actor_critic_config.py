"""Configuration of the latent actor-critic. Imports no TensorFlow."""

from __future__ import annotations

from dataclasses import dataclass, field

from worldmodels.agents.config import ImageNetworkKind, RewardTransform
from worldmodels.models.config import HeadConfig, OptimizerConfig


@dataclass(frozen=True)
class ActorCriticConfig:
    """Learning in imagination; the defaults are DreamerV2's figures for Atari."""

    kind: str = "actor_critic"
    learns_from_experience = False  # a fact about the kind, not a setting: so without a type
    actor: HeadConfig = field(default_factory=HeadConfig)
    critic: HeadConfig = field(default_factory=HeadConfig)
    images: ImageNetworkKind = "small"
    """The network in front of each of the two where features are images."""
    horizon: int = 15
    """Steps of each imagined rollout."""
    discount: float = 0.999
    return_lambda: float = 0.95
    """Lambda of the returns: 1 sums imagined rewards up to the horizon, 0 trusts the critic after one step
    (`discount_lambda` in DreamerV2)."""
    entropy: float = 1e-3
    """Weight of the policy's entropy, in nats, against the advantage."""
    reward_transform: RewardTransform = "tanh"
    """What is learned from in place of a reward (`clip_rewards` in DreamerV2)."""
    normalize_returns: bool = False
    """Divide advantages by the running range of returns, 5th to 95th percentile, where it exceeds 1 (DreamerV3)."""
    target_every: int = 100
    """Updates between two moves of the target critic."""
    target_share: float = 1.0
    """How far the target critic then moves to the critic; 1 copies it."""
    actor_optimizer: OptimizerConfig = field(default_factory=lambda: OptimizerConfig(learning_rate=4e-5))
    critic_optimizer: OptimizerConfig = field(default_factory=lambda: OptimizerConfig(learning_rate=1e-4))
