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
    """An actor-critic for the task, one that explores, and an ensemble; the defaults are DreamerV2's figures."""

    kind: str = "plan2explore"
    learns_on_devices = True  # a fact about the kind, not a setting: so without a type
    feature_kinds = ("vector",)
    task: ActorCriticConfig = field(default_factory=ActorCriticConfig)
    """Actor-critic that learns the task in imagination, by the rewards that the world model predicts; it is what is
    evaluated and played."""
    explorer: ActorCriticConfig = field(default_factory=ActorCriticConfig)
    """Actor-critic that collects experience, and learns to go where the ensemble disagrees."""
    members: Size = 10
    """Networks of the ensemble (`disag_models` in DreamerV2)."""
    network: HeadConfig = field(default_factory=HeadConfig)
    """Hidden layers of each of them (`expl_head` in DreamerV2)."""
    intrinsic_scale: NonNegative = 1.0
    """Weight of the disagreement in what the explorer is paid (`expl_intr_scale` in DreamerV2)."""
    extrinsic_scale: NonNegative = 0.0
    """Weight of the predicted reward in it; 0 explores without rewards (`expl_extr_scale` in DreamerV2)."""
    episodic: bool = True
    """Whether the explorer is paid nothing after an end, as in DreamerV2: then it avoids ends, and the goals that bring
    them. Otherwise another episode follows, worth what others are (non-episodic returns; Burda et al. 2019)."""
    optimizer: OptimizerConfig | LaPropConfig = field(default_factory=lambda: OptimizerConfig(learning_rate=3e-4))
    """Optimizer of the ensemble (`expl_opt` in DreamerV2)."""

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.explorer.replay_value_scale:
            raise ConfigError(
                "agent.explorer.replay_value_scale lets a critic learn from recorded rewards, and the explorer is paid "
                f"for other things: it must be 0. Received {self.explorer.replay_value_scale:g}."
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
