"""Configurations of VPG, TRPO and PPO. Imports no TensorFlow."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Annotated, Literal

from worldmodels.agents.config import CheckedSettings, ModelFreeAgentConfig, RewardTransform
from worldmodels.core.configuration.ranges import (
    AboveZero,
    BelowOne,
    Count,
    NonNegative,
    Positive,
    Range,
    Share,
    Size,
    at_least,
    limits,
)
from worldmodels.core.errors import ConfigError
from worldmodels.models.config import HeadConfig, LayerStyle, OptimizerConfig


def _is_count_or_share(value: float) -> bool:
    return 0 < value < 1 or (isinstance(value, int) and 2 <= value <= 10**12)


_SAMPLES = Range("be a whole number of samples, at least 2, or a share above 0 and below 1", _is_count_or_share)


@dataclass(frozen=True)
class OnPolicyConfig(ModelFreeAgentConfig):
    """The settings of all agents that learn from rollouts of their current policy."""

    experience = frozenset({"imagination", "rollouts"})  # a fact about the kind, not a setting: so without a type
    vectors: HeadConfig = field(default_factory=lambda: HeadConfig(layers=2, units=64))
    """Hidden layers for features that are vectors."""
    style: LayerStyle = field(default_factory=lambda: LayerStyle(activation="tanh"))
    """Normalisation and activation of these layers."""
    horizon: Size = 50
    """Steps of each imagined rollout (`simulated_rollout_length` in SimPLe's code). The loop sets the length of real
    rollouts."""
    imagined_temperature: NonNegative = 1.0
    """Temperature of the world model in imagined rollouts: 1 samples its predictions, 0 takes the most probable ones,
    which are the mean in a `flow` and take one call instead of `model.calls`."""
    gae_lambda: Share = 0.97
    """Lambda of generalised advantage estimation and of the value's returns (`lam` in Spinning Up)."""
    reward_transform: RewardTransform = "none"
    """Transform of each reward before the agent learns from it."""
    normalize_rewards: bool = False
    """Divide rewards, before `reward_transform`, by the running standard deviation of their discounted sums, and clip
    them to 10 (`norm_reward` of Stable-Baselines3's VecNormalize)."""


def adam(learning_rate: float) -> OptimizerConfig:
    """Return Adam as Spinning Up has it: without clipping and without weight decay."""
    return OptimizerConfig(learning_rate=learning_rate, epsilon=1e-8, clip=1e9, weight_decay=0.0)


@dataclass(frozen=True)
class PolicyGradientConfig(OnPolicyConfig):
    """The settings that VPG and TRPO share: policy and value have a network each, and the policy takes one step for
    each set of rollouts. The defaults are Spinning Up's."""

    value_steps: Positive = 80
    """Optimizer steps of the value after each step of the policy, on all samples (`train_v_iters` in Spinning Up)."""
    value_optimizer: OptimizerConfig = field(default_factory=lambda: adam(1e-3))
    """Optimizer of the value."""


@dataclass(frozen=True)
class VPGConfig(PolicyGradientConfig):
    """Vanilla policy gradient (Sutton et al. 2000) with generalised advantages (Schulman et al. 2016), in imagination
    and in the real world. The defaults are Spinning Up's."""

    kind: str = "vpg"
    optimizer: OptimizerConfig = field(default_factory=lambda: adam(3e-4))
    """Optimizer of the policy."""


@dataclass(frozen=True)
class TRPOConfig(PolicyGradientConfig):
    """Trust region policy optimisation (Schulman et al. 2015), and without its line search the natural policy gradient
    (Kakade 2001), in imagination and in the real world. The defaults are Spinning Up's."""

    kind: str = "trpo"
    kl_limit: AboveZero = 0.01
    """Largest KL between the policies before and after a step, in nats (`delta` in Spinning Up)."""
    damping: NonNegative = 0.1
    """Multiple of the identity added to the Fisher information matrix, which bounds steps in directions without
    information (`damping_coeff` in Spinning Up)."""
    line_search: bool = True
    """Whether a step is shortened until its KL is below the limit and its loss falls. Without, the step of the natural
    policy gradient has the length that a quadratic estimate of the KL gives."""


@dataclass(frozen=True)
class PPOConfig(OnPolicyConfig):
    """Proximal policy optimisation (Schulman et al. 2017), in imagination and in the real world.

    An iteration is one set of rollouts, imagined or real, and the epochs over it. The defaults are SimPLe's figures.
    """

    kind: str = "ppo"
    learns_on_devices = True  # a fact about the kind, not a setting: so without a type
    vectors: HeadConfig = field(default_factory=lambda: HeadConfig(layers=2, units=256))
    style: LayerStyle = field(default_factory=LayerStyle)
    gae_lambda: Share = 0.95
    reward_transform: RewardTransform = "clip"
    lstm: Annotated[int, at_least(0), limits(0, 65_536)] = 0
    """Units of an LSTM behind the network; 0 disables it. With an LSTM, minibatches hold whole rollouts."""
    epochs: Positive = 3
    """Passes through the samples of an iteration (`n_epochs` in Stable-Baselines3)."""
    imagined_epochs: Count = 0
    """Passes through imagined samples, which are new at each iteration. 0: as many as `epochs`."""
    minibatch: Annotated[int, _SAMPLES] | Annotated[float, _SAMPLES] = 320
    """Samples for one optimiser step (`batch_size` in Stable-Baselines3), at most all of them. Below 1: a share of
    them, so that more environments make larger minibatches and not more steps; 0.125 is 8 minibatches (`nminibatches`
    in Baselines). Each pass drops the samples that fill no minibatch, others each time."""
    normalize_advantages: Literal["iteration", "minibatch"] = "iteration"
    """Samples over which advantages get mean 0 and variance 1 (`normalize_advantage` in Stable-Baselines3)."""
    scale_imagined_policy: bool = False
    """Multiply the policy's imagined loss by the standard deviation of imagined advantages divided by that of real
    advantages, at most 1. So noise of the critic in uneventful rollouts changes the policy little. Without effect
    where the agent does not learn from real rollouts."""
    clip: AboveZero = 0.1
    """Clip range of the ratio of new to old action probabilities (`clip_range` in Stable-Baselines3)."""
    value_clip: NonNegative = 0.0
    """Clip range of a value's change, in its own units (`clip_range_vf` in Stable-Baselines3); 0 disables it."""
    target_kl: NonNegative = 0.0
    """KL between new and old policy, in nats (`target_kl` in Spinning Up and in Stable-Baselines3). At 1.5 times this
    value the policy takes no further steps in an iteration, nor does a value in the same network. 0 disables it."""
    value_scale: NonNegative = 1.0
    """Weight of the value's mean squared error where policy and value share a network (`vf_coef` in
    Stable-Baselines3)."""
    entropy: NonNegative = 0.01
    """Weight of the policy's entropy, in nats (`ent_coef` in Stable-Baselines3)."""
    decay: Count = 0
    """Iterations over which learning rate, `clip` and `value_clip` fall linearly to 0; 0 disables the decay."""
    l2: NonNegative = 0.0
    """Weight of the L2 penalty, half the squared norm of all weights without the biases; 0 disables it."""
    dropout: BelowOne = 0.0
    """Share of each convolution's outputs that dropout sets to 0 while learning; the mask stays for an iteration."""
    batch_norm: bool = False
    """Batch normalisation behind each convolution: minibatch moments while learning, moving averages while acting."""
    augmentation: bool = False
    """Paint up to five boxes of random colours over each image while learning (cutout)."""
    optimizer: OptimizerConfig = field(
        default_factory=lambda: OptimizerConfig(
            learning_rate=1e-4, beta1=0.85, beta2=0.997, epsilon=1e-6, clip=0.5, weight_decay=0.0
        )
    )
    """Optimizer of policy and value."""
    value_optimizer: OptimizerConfig | None = None
    """Optimizer of the value in a network of its own, as large as the policy's. All its steps are done, also after
    `target_kl` has ended the policy's. null: policy and value share network and optimizer."""

    @property
    def shared_rows(self) -> dict[str, int]:
        return {"agent.minibatch": self.minibatch} if isinstance(self.minibatch, int) else {}

    def check(self, run: CheckedSettings) -> None:
        if run.devices > 1 and self.batch_norm and run.trains_policy:
            raise ConfigError(
                f"devices is {run.devices}, and agent.batch_norm takes moments over minibatches, which no device has "
                "whole. One of the two must go: devices=1, or agent.batch_norm=false."
            )
