"""Configuration of the latent actor-critic. Imports no TensorFlow."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal

from worldmodels.agents.config import AgentConfig, ImageNetworkKind, RewardTransform, Run, learns_in_imagination
from worldmodels.core.configuration.number_schedules import ScheduledNonNegative
from worldmodels.core.configuration.ranges import NonNegative, Positive, Section, Share, Size
from worldmodels.core.errors import ConfigError
from worldmodels.models.api import ModelSpec
from worldmodels.models.config import HeadConfig, LaPropConfig, LayerStyle, OptimizerConfig

ActorGradient = Literal["reinforce", "dynamics"]


@dataclass(frozen=True)
class RecentConfig(Section):
    """The share that the newest real steps have in what policy and critic learn, besides imagined ones."""

    policy_scale: ScheduledNonNegative = 0.0
    """Weight of the policy's loss at these steps: actions after which it went better than the critic expected become
    likelier, and others less likely; 0: the policy learns in imagination alone."""
    value_scale: NonNegative = 0.3
    """Weight of the critic's loss on the returns that followed them, where the policy learns from them."""
    steps: Size = 64
    """Newest steps of each environment from which windows are drawn, `training.batch` of `training.length` for each
    update of the policy."""

    @property
    def is_off(self) -> bool:
        """Whether nothing is learned from them."""
        return self.policy_scale == 0


@dataclass(frozen=True)
class ActorCriticConfig(AgentConfig):
    """An actor and a critic that learn in imagination, for choices and for boxes of actions; the defaults are
    DreamerV2's figures for Atari."""

    kind: str = "actor_critic"
    # Facts about the kind, not settings: so without types.
    experience = frozenset({"imagination", "recent"})
    learns_on_devices = True
    actor: HeadConfig = field(default_factory=HeadConfig)
    """Dense layers of the policy."""
    critic: HeadConfig = field(default_factory=HeadConfig)
    """Dense layers of the value."""
    style: LayerStyle = field(default_factory=LayerStyle)
    """Norm and nonlinearity of these layers."""
    images: ImageNetworkKind = "small"
    """Network in front of each of the two for each image among the features."""
    box_distribution: Literal["truncated_normal", "tanh_normal"] = "truncated_normal"
    """Distribution of each number of a box: a normal one truncated to [-1, 1], or one squashed by the hyperbolic
    tangent (`actor.dist` in DreamerV2). Choices are always categorical."""
    actor_gradient: Literal["auto", "reinforce", "dynamics"] = "auto"
    """Gradient of imagined returns by which the policy learns: reinforce (log-probabilities of actions), or dynamics
    (backpropagation through the world model). auto: dynamics for boxes of actions with vector features, otherwise
    reinforce (`actor_grad` in DreamerV2)."""
    horizon: Size = 15
    """Steps of each imagined rollout (`imag_horizon` in DreamerV2)."""
    discount: Share = 0.999
    """Weight of each step's future against its present (`gamma` in Stable-Baselines3)."""
    return_lambda: Share = 0.95
    """Lambda of the returns: 1 sums imagined rewards up to the horizon, 0 trusts the critic after one step
    (`discount_lambda` in DreamerV2)."""
    entropy: ScheduledNonNegative = 1e-3
    """Weight of the policy's entropy, in nats, against the advantage (`actor_ent` in DreamerV2)."""
    reward_transform: RewardTransform = "tanh"
    """Quantity that is learned from in place of a reward (`clip_rewards` in DreamerV2)."""
    normalize_returns: bool = False
    """Divide advantages by the running range of returns, 5th to 95th percentile, where it exceeds 1 (DreamerV3)."""
    target_every: Positive = 100
    """Updates between two moves of the target critic (`slow_target_update` in DreamerV2)."""
    target_share: Share = 1.0
    """Share of the way to the critic that the target then moves; 1 copies it (`slow_target_fraction` in DreamerV2)."""
    uniform_mix: Share = 0.0
    """Share of the uniform distribution in the policy, so that no action is ever given up (`unimix` in DreamerV3)."""
    recent: RecentConfig = field(default_factory=RecentConfig)
    """Learning from the newest real steps, too."""
    value_distribution: Literal["normal", "two_hot"] = "normal"
    """Distribution of returns that the critic learns: a normal one, by regression, or classes of 255 values (symexp
    two-hot, DreamerV3)."""
    value_target: Literal["slow", "online"] = "slow"
    """Critic whose values stand at the ends of returns: the target critic, which follows slowly, or the critic itself,
    as in DreamerV3."""
    slow_regularizer: NonNegative = 0.0
    """Weight of a loss that draws the critic towards the target critic (`slowreg` in DreamerV3)."""
    replay_value_scale: NonNegative = 0.0
    """Weight of the critic's loss on the returns of recorded experience, besides those of imagined rollouts (`repval`
    in DreamerV3); 0: the critic learns in imagination alone."""
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

    def check(self, run: Run) -> None:
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
        starts, states = training.starts, training.batch * training.length
        if not self.replay_value_scale:
            return
        if starts.context:
            raise ConfigError(
                "agent.replay_value_scale lets the critic learn from what followed the states along the last batch, "
                f"and training.starts.context is {starts.context}: imagination starts elsewhere, so that these are not "
                "kept. One of the two must be 0."
            )
        if starts.batches > 1 and starts.rollouts == states:
            raise ConfigError(
                f"training.starts.rollouts is {states}, as many as a batch has states (training.batch x "
                "training.length): a critic with replay_value_scale takes so many for these very states, and with "
                f"training.starts.batches {starts.batches} they are others. Choose another number, or 0 for the states "
                "of all batches."
            )
