"""The configuration of a run: one frozen dataclass whose sections stand beside the code that they configure."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from worldmodels.agents.actor_critic_config import ActorCriticConfig
from worldmodels.agents.ppo_config import PPOConfig
from worldmodels.agents.random_config import RandomConfig
from worldmodels.core.errors import ConfigError
from worldmodels.envs.config import EnvConfig
from worldmodels.models.frame_stack_config import FrameStackConfig
from worldmodels.models.next_frame.config import DeterministicConfig, StochasticDiscreteConfig
from worldmodels.models.rssm.config import RSSMConfig
from worldmodels.replay.config import ReplayConfig


@dataclass(frozen=True)
class StartsConfig:
    """The states at which imagined rollouts start, chosen anew for each policy update."""

    rollouts: int = 0
    """How many rollouts start, each at another state; 0, without context alone: at all states along the batch."""
    context: int = 0
    """Recorded frames that the model takes in before a rollout starts; 0: rollouts start at the states that the model
    had along the batch to which it was last fitted, and the numbers below have no effect."""
    newest: int = 0
    """Draw from the newest recorded steps alone, so many summed over the environments; 0: from all."""
    beginnings: int = 0
    """How many of the contexts begin where an episode does; the others begin anywhere."""


@dataclass(frozen=True)
class ModelBasedConfig:
    """The model-based loop: collect steps, fit the model, improve the policy in imagination, repeat.

    Steps are real environment steps, summed over the parallel environments; updates are optimiser steps of the model,
    and calls of `Agent.update_from_imagination` for the policy. One turn of the loop collects, fits and improves, each
    in one piece; a run ends with the turn that reaches `steps`. Zero for `improve` trains a model only, zero for `fit`
    keeps a pretrained model as it is, zero for `collect` learns from what was recorded before.
    """

    kind: str = "model_based"
    steps: int = 1_000_000
    """Real environment steps of the whole run."""
    prefill: int = 5_000
    """Steps that the first turn collects, rounded up to a multiple of `collect`."""
    prefill_policy: Literal["random", "agent"] = "random"
    """Who plays them: uniformly random actions, or the agent as it is."""
    pretrain: int = 0
    """Model updates in the first turn, besides those of `fit`."""
    collect: int = 16
    """Steps that each further turn collects; rounded up to whole steps of the vector environment."""
    fit: int = 1
    """Model updates in each turn."""
    fit_factors: tuple[float, ...] = ()
    """Multiples of `fit` in the first turns of the loop, one number for each turn; afterwards 1."""
    improve: int = 1
    """Policy updates in imagination in each turn."""
    improve_factors: tuple[float, ...] = ()
    """Multiples of `update_from_imagination` in the first turns of the loop, one number for each turn; afterwards 1."""
    turns: int = 0
    """With `collect` 0: how often to fit and improve; otherwise `steps` decides, and this has no effect."""
    starts: StartsConfig = field(default_factory=StartsConfig)
    real_rollout: int = 0
    """While it collects, the agent also learns from reality, each time after so many steps of each environment; 0: it
    does not."""
    batch: int = 16
    """Sequences in a batch of the model."""
    length: int = 50
    """Steps in a sequence."""
    pretrained: str = ""
    """A run's folder, whose newest world model this run starts with."""
    initial_replay: str = ""
    """A run's folder, whose recorded experience this run starts with, in place of the prefill."""
    demonstrations: tuple[str, ...] = ()
    """Recordings of the player (`worldmodels play --record`), which this run starts with besides."""

    @property
    def step_limit(self) -> int:
        """Real environment steps at which the run ends; 0 where the number of turns ends it."""
        return self.steps if self.collect else 0

    @property
    def trains_policy(self) -> bool:
        """Whether the agent ever learns."""
        return self.improve > 0 or self.real_rollout > 0


@dataclass(frozen=True)
class ModelFreeConfig:
    """The model-free loop: collect steps, learn from them, repeat."""

    kind: str = "model_free"
    steps: int = 1_000_000
    """Real environment steps of the whole run."""
    rollout: int = 128
    """Steps of each environment between two updates of the policy (`n_steps` in Stable-Baselines3)."""

    trains_policy = True  # a fact about the loop, not a setting: so without a type

    @property
    def step_limit(self) -> int:
        """Real environment steps at which the run ends."""
        return self.steps


@dataclass(frozen=True)
class ScheduleConfig:
    """When a run logs, evaluates and saves; steps are real environment steps, as everywhere."""

    log_every: int = 5_000
    """Steps between two records of the metrics."""
    log_updates: int = 0
    """Updates, of model and policy together, between two records of the metrics, besides; 0 for none."""
    evaluate_every: int = 100_000
    """Steps between two evaluations of policy and world model, with a video, at the end of a turn; 0 for none."""
    checkpoint_every: int = 25_000
    """Steps between two checkpoints; the end of a run always writes one."""
    checkpoint_updates: int = 0
    """Updates, of model and policy together, between two checkpoints, besides; 0 for none."""
    keep_checkpoints: int = 2
    """Steps of which the newest checkpoint is kept."""


@dataclass(frozen=True)
class EvaluationConfig:
    """The numbers of an evaluation; `worldmodels eval` can override each from the command line."""

    episodes: int = 64
    """Episodes for each cell of the grid; all of them are counted, finished or not."""
    temperatures: tuple[float, ...] = (1.0,)
    """Sampling temperatures of the policy: 0 takes the most probable action, 1 samples."""
    model_temperatures: tuple[float, ...] = (1.0,)
    """Sampling temperatures of the world model, wherever it predicts."""
    noops: tuple[int, ...] = (0,)
    """Numbers of steps without an action at the start of an episode."""
    max_steps: int = 1_000
    """Steps after which an episode is cut and reported as unfinished."""
    context: int = 5
    """Frames that the world model sees before it predicts alone."""
    horizon: int = 15
    """Steps that it then predicts."""
    windows: int = 256
    """Windows of experience over which its errors are averaged."""

    def __post_init__(self) -> None:
        for name in ("episodes", "max_steps", "context", "horizon", "windows"):
            if (value := getattr(self, name)) < 1:
                raise ConfigError(f"evaluation.{name} is {value}; it must be at least 1.")
        for name in ("temperatures", "model_temperatures", "noops"):
            values = getattr(self, name)
            if not values:
                raise ConfigError(f"evaluation.{name} is empty; it must hold at least one number.")
            if min(values) < 0:
                raise ConfigError(f"evaluation.{name} holds {min(values)}; they must be 0 or more.")
            if len(set(values)) < len(values):
                raise ConfigError(f"evaluation.{name} holds a number twice: {', '.join(map(str, values))}.")


@dataclass(frozen=True)
class RunConfig:
    """Everything that decides a run: the same configuration and seed give the same numbers on a CPU."""

    seed: int = 0
    """The seed of everything random in the run."""
    deterministic: bool | None = None
    """Whether the same configuration repeats bit for bit, which costs a GPU much speed and a CPU none; null: yes on a
    CPU, no with a GPU, decided when the run is made."""
    env: EnvConfig = field(default_factory=EnvConfig)
    replay: ReplayConfig = field(default_factory=ReplayConfig)
    model: RSSMConfig | DeterministicConfig | StochasticDiscreteConfig | FrameStackConfig = field(
        default_factory=RSSMConfig
    )
    agent: ActorCriticConfig | PPOConfig | RandomConfig = field(default_factory=ActorCriticConfig)
    training: ModelBasedConfig | ModelFreeConfig = field(default_factory=ModelBasedConfig)
    schedule: ScheduleConfig = field(default_factory=ScheduleConfig)
    evaluation: EvaluationConfig = field(default_factory=EvaluationConfig)

    @property
    def trains_policy(self) -> bool:
        """Whether the agent ever learns; a policy that does not is not evaluated."""
        return self.agent.kind != "random" and self.training.trains_policy
