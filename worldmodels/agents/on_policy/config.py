"""Configuration that VPG and TRPO share. Imports no TensorFlow."""

from __future__ import annotations

from dataclasses import dataclass, field

from worldmodels.agents.config import ANY_ACTIONS, ANY_FEATURES, ImageNetworkKind, RewardTransform
from worldmodels.core.configuration.ranges import Positive, Section, Share, Size
from worldmodels.models.config import HeadConfig, LayerStyle, OptimizerConfig


def adam(learning_rate: float) -> OptimizerConfig:
    """Return Adam as Spinning Up has it: without clipping and without weight decay."""
    return OptimizerConfig(learning_rate=learning_rate, epsilon=1e-8, clip=1e9, weight_decay=0.0)


@dataclass(frozen=True)
class OnPolicyConfig(Section):
    """A policy and a value with a network each, and one step of the policy for each set of rollouts.

    The defaults are Spinning Up's.
    """

    kind: str = ""
    # Facts about the kind, not settings: so without types.
    learns_from_experience = True
    learns_from_transitions = False
    action_kinds, feature_kinds = ANY_ACTIONS, ANY_FEATURES
    normalize_advantages, scale_imagined_policy, lstm = "iteration", False, 0
    images: ImageNetworkKind = "small"
    """Network for features that are images; policy and value have one each."""
    vectors: HeadConfig = field(default_factory=lambda: HeadConfig(layers=2, units=64))
    """Hidden layers for features that are vectors; policy and value have their own."""
    style: LayerStyle = field(default_factory=lambda: LayerStyle(activation="tanh"))
    """Norm and nonlinearity of these layers."""
    horizon: Size = 50
    """Steps of each imagined rollout; the loop says how long real ones are."""
    discount: Share = 0.99
    """Weight of each step's future against its present (`gamma` in Spinning Up)."""
    gae_lambda: Share = 0.97
    """Lambda of generalised advantage estimation, and of the returns that the value learns (`lam` in Spinning Up)."""
    reward_transform: RewardTransform = "none"
    """Quantity that is learned from in place of a reward."""
    normalize_features: bool = False
    """Bring each number of a vector to mean 0 and variance 1 over all that the agent has learned from (`norm_obs` of
    Stable-Baselines3's VecNormalize)."""
    normalize_rewards: bool = False
    """Divide rewards, before `reward_transform`, by the standard deviation of all returns that the agent has learned
    from (`norm_reward` of Stable-Baselines3's VecNormalize)."""
    value_steps: Positive = 80
    """Optimizer steps of the value after each step of the policy, on all samples (`train_v_iters` in Spinning Up)."""
    value_optimizer: OptimizerConfig = field(default_factory=lambda: adam(1e-3))
    """Optimizer of the value."""
