"""Configuration of Plan2Explore. Imports no TensorFlow."""

from __future__ import annotations

from dataclasses import dataclass, field

from worldmodels.agents.config import AgentConfig, Run, learns_in_imagination
from worldmodels.agents.dreamer.actor_critic_config import ActorCriticConfig
from worldmodels.core.configuration.ranges import NonNegative, Size
from worldmodels.core.errors import ConfigError
from worldmodels.models.api import ModelSpec
from worldmodels.models.config import HeadConfig, LaPropConfig, OptimizerConfig


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

    def check(self, run: Run) -> None:
        if learns_in_imagination(run) and run.training.starts.context:
            raise ConfigError(
                "agent.kind is 'plan2explore', whose ensemble learns from the states along the last batch, and "
                f"training.starts.context is {run.training.starts.context}: imagination starts elsewhere, so that "
                "these are not kept. It must be 0."
            )
        self.task.check(run)
