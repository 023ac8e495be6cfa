"""Configuration of SAC. Imports no TensorFlow."""

from __future__ import annotations

from dataclasses import dataclass, field

from worldmodels.agents.off_policy.config import OffPolicyAgentConfig
from worldmodels.core.configuration.ranges import AboveZero, Share
from worldmodels.models.config import OptimizerConfig


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
    alpha_optimizer: OptimizerConfig = field(
        default_factory=lambda: OptimizerConfig(learning_rate=1e-3, epsilon=1e-8, clip=1e9, weight_decay=0.0)
    )
    """Optimizer of the logarithm of the weight, where that is learned."""
