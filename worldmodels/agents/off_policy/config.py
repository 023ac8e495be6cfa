"""Configurations of DDPG, TD3 and SAC. Imports no TensorFlow."""

from __future__ import annotations

from dataclasses import dataclass, field

from worldmodels.agents.config import BOXES, ModelFreeAgentConfig
from worldmodels.core.configuration.ranges import AboveZero, NonNegative, Positive, Share, Size
from worldmodels.models.config import HeadConfig, LayerStyle, OptimizerConfig


def _adam() -> OptimizerConfig:
    return OptimizerConfig(learning_rate=1e-3, epsilon=1e-8, clip=1e9, weight_decay=0.0)


@dataclass(frozen=True)
class OffPolicyAgentConfig(ModelFreeAgentConfig):
    """The settings of all agents that learn from single steps of any age. The defaults are Spinning Up's figures."""

    experience = frozenset({"imagination", "transitions"})  # a fact about the kind, not a setting: so without a type
    network: HeadConfig = field(default_factory=lambda: HeadConfig(layers=2, units=256))
    """Hidden layers of the policy, and of each critic (`hid` and `l` in Spinning Up)."""
    style: LayerStyle = field(default_factory=lambda: LayerStyle(activation="relu"))
    """Normalisation and activation of the policy's hidden layers; the critics' have the activation alone."""
    polyak: Share = 0.995
    """Share of its own weights that a target network keeps at each update (1 - `tau` in Stable-Baselines3)."""
    horizon: Size = 5
    """Steps of each imagined rollout."""
    minibatch: Size = 100
    """Imagined steps for one update, at most all of them; steps that fill no minibatch are dropped. The loop sets the
    number of recorded steps."""
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
class TD3Config(DDPGConfig):
    """Twin delayed DDPG (Fujimoto et al. 2018); the defaults are Spinning Up's figures."""

    kind: str = "td3"
    target_noise: NonNegative = 0.2
    """Standard deviation of the noise on the target policy's actions."""
    noise_clip: NonNegative = 0.5
    """Largest size of that noise; larger values are clipped."""
    policy_delay: Positive = 2
    """Updates of the critics for each update of the policy and of the target networks."""


@dataclass(frozen=True)
class SACConfig(OffPolicyAgentConfig):
    """Soft actor-critic (Haarnoja et al. 2018), for boxes of actions and for choices (Christodoulou 2019); the defaults
    are Spinning Up's figures."""

    kind: str = "sac"
    alpha: AboveZero = 0.2
    """Weight of the policy's entropy, in nats, against the rewards (`ent_coef` in Stable-Baselines3). With
    `learn_alpha` this is the initial weight."""
    learn_alpha: bool = False
    """Learn `alpha` so that the policy's entropy reaches a target (Haarnoja et al. 2018b). For boxes the target is
    minus their number of dimensions."""
    target_share: Share = 0.98
    """Target entropy of discrete actions, as a share of the largest possible entropy."""
    alpha_optimizer: OptimizerConfig = field(default_factory=_adam)
    """Optimizer of the logarithm of `alpha`, where it is learned."""
