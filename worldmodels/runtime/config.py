"""The configuration of a run: one frozen dataclass whose sections stand beside the code that they configure."""

from __future__ import annotations

from dataclasses import dataclass, field

from worldmodels.agents.actor_critic_config import ActorCriticConfig
from worldmodels.agents.random_config import RandomConfig
from worldmodels.envs.config import EnvConfig
from worldmodels.models.rssm.config import RSSMConfig
from worldmodels.replay.config import ReplayConfig


@dataclass(frozen=True)
class LoopConfig:
    """Numbers of the loop: collect, fit the model, improve the policy in imagination, repeat.

    Steps are real environment steps, summed over the parallel environments; updates are optimiser steps.
    Zero for `improve` trains a model only.
    """

    steps: int = 1_000_000
    """Real environment steps of the whole run."""
    prefill: int = 5_000
    """Steps of the random policy before the first update."""
    pretrain: int = 0
    """Model updates right after the prefill."""
    collect: int = 16
    """Real steps between updates; rounded up to whole steps of the vector environment."""
    fit: int = 1
    """Model updates after each `collect`."""
    improve: int = 1
    """Policy updates in imagination after each `collect`."""
    batch: int = 16
    """Sequences in a batch of the model."""
    length: int = 50
    """Steps in a sequence."""
    log_every: int = 5_000
    """Steps between two records of the metrics."""
    evaluate_every: int = 100_000
    """Steps between two evaluations of policy and world model, with a video; 0 for none."""
    checkpoint_every: int = 25_000
    """Steps between two checkpoints; the end of a run always writes one."""
    keep_checkpoints: int = 2


@dataclass(frozen=True)
class EvaluationConfig:
    """What an evaluation measures; `worldmodels eval` can override each from the command line."""

    episodes: int = 64
    """Episodes for each cell of the grid; all of them are counted, finished or not."""
    temperatures: tuple[float, ...] = (1.0,)
    """Sampling temperatures of the policy: 0 takes the most probable action, 1 samples."""
    noops: tuple[int, ...] = (0,)
    """Numbers of steps without an action at the start of an episode."""
    max_steps: int = 1_000
    """Steps after which an episode is cut and reported as unfinished."""
    context: int = 5
    """Frames that the world model sees before it predicts alone."""
    horizon: int = 15
    """Steps that it then predicts."""
    windows: int = 256
    """Recorded sequences over which its errors are averaged."""


@dataclass(frozen=True)
class RunConfig:
    """Everything that decides a run: the same configuration and seed give the same numbers on a CPU."""

    seed: int = 0
    env: EnvConfig = field(default_factory=EnvConfig)
    replay: ReplayConfig = field(default_factory=ReplayConfig)
    model: RSSMConfig = field(default_factory=RSSMConfig)
    agent: ActorCriticConfig | RandomConfig = field(default_factory=ActorCriticConfig)
    training: LoopConfig = field(default_factory=LoopConfig)
    evaluation: EvaluationConfig = field(default_factory=EvaluationConfig)
