"""Configurations of the latent actor-critic and of Plan2Explore. Imports no TensorFlow."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal

from worldmodels.agents.config import (
    AgentConfig,
    CheckedSettings,
    LearningAgentConfig,
    RewardTransform,
    learns_in_imagination,
)
from worldmodels.core.configuration.ranges import NonNegative, Positive, ScheduledNonNegative, Section, Share, Size
from worldmodels.core.errors import ConfigError
from worldmodels.models.api import ModelSpec
from worldmodels.models.config import HeadConfig, LaPropConfig, LayerStyle, OptimizerConfig

ActorGradient = Literal["reinforce", "dynamics"]


@dataclass(frozen=True)
class RecentConfig(Section):
    """Learning of policy and critic from the newest real steps, beside imagined ones."""

    policy_scale: ScheduledNonNegative = 0.0
    """Weight of the policy's loss at these steps. The loss raises the probability of an action whose return exceeded
    the critic's value, and lowers it otherwise. 0 disables learning from recent steps."""
    steps: Size = 64
    """Newest steps of each environment from which windows are drawn. Each update of the policy draws `training.batch`
    windows of `training.length` steps."""

    @property
    def is_off(self) -> bool:
        """Whether nothing is learned from recent steps."""
        return self.policy_scale == 0


@dataclass(frozen=True)
class ActorCriticConfig(LearningAgentConfig):
    """An actor and a critic that learn in imagination, for discrete actions and boxes. The defaults are DreamerV2's
    figures for Atari."""

    kind: str = "actor_critic"
    # Facts about the kind, not settings: so without types.
    experience = frozenset({"imagination", "recent"})
    learns_on_devices = True
    actor: HeadConfig = field(default_factory=HeadConfig)
    """Dense layers of the policy."""
    critic: HeadConfig = field(default_factory=HeadConfig)
    """Dense layers of the value."""
    style: LayerStyle = field(default_factory=LayerStyle)
    """Normalisation and activation of these layers."""
    box_distribution: Literal["truncated_normal", "tanh_normal"] = "truncated_normal"
    """Distribution of each number of a box: a normal distribution truncated to [-1, 1], or squashed by the hyperbolic
    tangent (`actor.dist` in DreamerV2). Discrete actions are always categorical."""
    actor_gradient: Literal["auto", "reinforce", "dynamics"] = "auto"
    """Gradient of imagined returns by which the policy learns: reinforce (log-probabilities of actions), or dynamics
    (backpropagation through the world model). auto: dynamics for boxes of actions with vector features, otherwise
    reinforce (`actor_grad` in DreamerV2)."""
    horizon: Size = 15
    """Steps of each imagined rollout (`imag_horizon` in DreamerV2)."""
    discount: Share = 0.999
    """Discount factor per step (`gamma` in Stable-Baselines3)."""
    return_lambda: Share = 0.95
    """Lambda of the returns (`discount_lambda` in DreamerV2): 1 sums imagined rewards up to the horizon, 0 takes the
    critic's value after one step."""
    entropy: ScheduledNonNegative = 1e-3
    """Weight of the policy's entropy, in nats, in its loss (`actor_ent` in DreamerV2)."""
    reward_transform: RewardTransform = "tanh"
    """Transform of each reward before the agent learns from it (`clip_rewards` in DreamerV2)."""
    normalize_returns: bool = False
    """Divide advantages by the running range of returns (5th to 95th percentile) where the range exceeds 1
    (DreamerV3)."""
    target_every: Positive = 100
    """Updates between two moves of the target critic (`slow_target_update` in DreamerV2)."""
    target_share: Share = 1.0
    """Share of the critic in the target critic's new weights; 1 copies the critic (`slow_target_fraction` in
    DreamerV2)."""
    uniform_mix: Share = 0.0
    """Share of the uniform distribution in the policy of discrete actions (`unimix` in DreamerV3)."""
    recent: RecentConfig = field(default_factory=RecentConfig)
    """Learning from the newest real steps."""
    value_distribution: Literal["normal", "two_hot"] = "normal"
    """Distribution of returns that the critic learns: normal (regression), or two_hot (255 symexp classes,
    DreamerV3)."""
    value_target: Literal["slow", "online"] = "slow"
    """Critic whose values end the returns: the target critic, or the critic itself as in DreamerV3."""
    slow_regularizer: NonNegative = 0.0
    """Weight of the critic's loss towards the target critic's values (`slowreg` in DreamerV3); 0 disables it."""
    replay_value_scale: NonNegative = 0.0
    """Weight of the critic's loss on returns of recorded steps (`repval` in DreamerV3). 0: the critic learns in
    imagination alone."""
    actor_optimizer: OptimizerConfig | LaPropConfig = field(default_factory=lambda: OptimizerConfig(learning_rate=4e-5))
    """Optimizer of the policy."""
    critic_optimizer: OptimizerConfig | LaPropConfig = field(
        default_factory=lambda: OptimizerConfig(learning_rate=1e-4)
    )
    """Optimizer of the value."""

    def gradient_in(self, spec: ModelSpec) -> ActorGradient:
        """Return the gradient by which the policy learns in the world model of a spec.

        Raises:
            ConfigError: the gradient would flow through features that are images.
        """
        flows = spec.feature_kind == "vector"
        if self.actor_gradient == "auto":
            return "dynamics" if flows and not spec.action.is_discrete else "reinforce"
        if self.actor_gradient != "reinforce" and not flows:
            raise ConfigError(
                f"agent.actor_gradient is '{self.actor_gradient}': gradients flow back through features that are "
                f"vectors, and not through images. Received features that are {spec.features}. Choose 'reinforce'."
            )
        return self.actor_gradient

    @property
    def recent_steps(self) -> int:
        return 0 if self.recent.is_off else self.recent.steps

    def check_spec(self, spec: ModelSpec) -> None:
        self.gradient_in(spec)

    def check(self, run: CheckedSettings) -> None:
        if run.training.kind == "model_based":
            self._check_recent(run.training)
        if learns_in_imagination(run):
            self._check_starts(run.training)

    def _check_recent(self, training: Any) -> None:
        """Check that there will be recent steps to learn from."""
        if self.recent.is_off:
            return
        if not training.collect:
            raise ConfigError(
                "agent.recent.policy_scale lets the policy learn from the steps that this run takes, and "
                "training.collect is 0: it must be 0, too, or training.collect above 0. Received "
                f"{self.recent.policy_scale}."
            )
        if self.recent.steps < training.length:
            raise ConfigError(
                "agent.recent.steps must be at least training.length, the steps of each window that is drawn from "
                f"them. Received {self.recent.steps} and {training.length}."
            )

    def _check_starts(self, training: Any) -> None:
        """Check that a critic which learns from recorded steps gets the states along them."""
        starts = training.starts
        if self.replay_value_scale and starts.context:
            raise ConfigError(
                "agent.replay_value_scale lets the critic learn from the steps along the last batch, and "
                f"training.starts.context is {starts.context}: imagination starts elsewhere, so these states are not "
                "kept. One of the two must be 0."
            )


@dataclass(frozen=True)
class Plan2ExploreConfig(AgentConfig):
    """An actor-critic for the task, another that explores, and an ensemble. The defaults are DreamerV2's figures."""

    kind: str = "plan2explore"
    learns_on_devices = True  # a fact about the kind, not a setting: so without a type
    feature_kinds = ("vector",)
    task: ActorCriticConfig = field(default_factory=ActorCriticConfig)
    """Actor-critic that learns the task in imagination, from predicted rewards. Evaluations and the player use it."""
    explorer: ActorCriticConfig = field(default_factory=ActorCriticConfig)
    """Actor-critic that collects experience, and learns to visit states where the ensemble disagrees. Its rewards are
    divided by the running mean of their size."""
    members: Size = 10
    """Networks of the ensemble (`disag_models` in DreamerV2)."""
    network: HeadConfig = field(default_factory=HeadConfig)
    """Hidden layers of each member (`expl_head` in DreamerV2)."""
    intrinsic_scale: NonNegative = 1.0
    """Weight of the disagreement in the explorer's reward (`expl_intr_scale` in DreamerV2)."""
    extrinsic_scale: NonNegative = 0.0
    """Weight of the predicted reward in the explorer's reward (`expl_extr_scale` in DreamerV2); 0 disables it."""
    episodic: bool = True
    """Whether the explorer's return stops where an episode ends, as in DreamerV2. Then the explorer avoids ends, also
    those at goals. Otherwise another episode of average value follows (non-episodic returns; Burda et al. 2019)."""
    optimizer: OptimizerConfig | LaPropConfig = field(default_factory=lambda: OptimizerConfig(learning_rate=3e-4))
    """Optimizer of the ensemble (`expl_opt` in DreamerV2)."""

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.explorer.replay_value_scale:
            raise ConfigError(
                "agent.explorer.replay_value_scale lets a critic learn from recorded rewards, and the explorer's are "
                f"others: it must be 0. Received {self.explorer.replay_value_scale:g}."
            )
        for name, actor in (("task", self.task), ("explorer", self.explorer)):
            if not actor.recent.is_off:
                raise ConfigError(
                    f"agent.{name}.recent.policy_scale must be 0: what was recorded was played by the explorer, for "
                    f"other rewards than the task's. Received {actor.recent.policy_scale}."
                )

    def check_spec(self, spec: ModelSpec) -> None:
        self.task.check_spec(spec)
        self.explorer.check_spec(spec)

    def check(self, run: CheckedSettings) -> None:
        if learns_in_imagination(run) and run.training.starts.context:
            raise ConfigError(
                "agent.kind is 'plan2explore', whose ensemble learns from the states along the last batch, and "
                f"training.starts.context is {run.training.starts.context}: imagination starts elsewhere, so these "
                "states are not kept. It must be 0."
            )
        self.task.check(run)
