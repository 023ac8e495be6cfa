"""Plays and predicts for the measures of a run, each time on the same levels and with the same seeds.

So differences between two times are differences of what was learned in between. Environments, random streams and
actors are the evaluator's own, and training never depends on them.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace
from functools import cached_property
from typing import Any

import numpy as np

from worldmodels.acting.actor import ModelActor, RandomActor
from worldmodels.acting.blind_actor import BlindActor, blind_policy
from worldmodels.acting.build import Parts
from worldmodels.config.environment import build_env
from worldmodels.config.run_config import EvaluationConfig, RunConfig
from worldmodels.core.errors import counted
from worldmodels.core.seeding import Streams
from worldmodels.core.types import Batch, Step
from worldmodels.envs.config import EnvConfig
from worldmodels.envs.games.levels import Levels, on_levels
from worldmodels.evaluation.playing.policy_returns import Episodes, PlannerActor, StepObserver, evaluate_policy
from worldmodels.evaluation.predictions.imagined_play import ImaginedPlayer
from worldmodels.evaluation.predictions.open_loop import OpenLoopPredictor
from worldmodels.evaluation.predictions.windows import play_windows
from worldmodels.imagination.planner_config import PlannerConfig
from worldmodels.models.api import ModelSpec

PROGRESS_SECONDS = 15.0
"""Seconds between two lines of progress while episodes are played."""


class Evaluator:
    """An evaluator plays and predicts with `parts` by `settings`.

    Args:
        streams: all randomness. Equal streams and weights give equal numbers.
        environments: played at once, at most.
        report: is called with a line about the next step of the evaluation.
        levels: the levels that are played at first.
    """

    def __init__(
        self,
        parts: Parts,
        settings: EvaluationConfig,
        streams: Streams,
        environments: int,
        report: Callable[[str], None] = lambda text: None,
        levels: Levels = "train",
    ):
        self._parts, self.settings, self.streams, self.report = parts, settings, streams, report
        rounds = -(-settings.episodes // environments)
        self._num_envs = -(-settings.episodes // rounds)  # the rounds are equally large
        self._envs: dict[EnvConfig, Any] = {}
        self._baselines: dict[tuple[str, EnvConfig, int], Episodes] = {}
        self._recorded: Batch | None = None
        self.use_levels(levels)

    def use_levels(self, levels: Levels) -> None:
        """Play on the training levels or on the test levels from now on; all graphs serve both.

        Raises:
            ConfigError: the run has no test levels.
        """
        self.use_env(on_levels(self.config.env, levels))

    def use_env(self, config: EnvConfig) -> None:
        """Play in an environment of the same spaces from now on; all graphs serve all of them."""
        self._env_config = config
        self.forget_recorded()

    @property
    def config(self) -> RunConfig:
        """The configuration of the run."""
        return self._parts.config

    @property
    def spec(self) -> ModelSpec:
        """The spec of the run's model, which decides which measures it can have."""
        return self._parts.model.spec

    @property
    def env(self) -> Any:
        """The environment in use, made when it is first played."""
        if self._env_config not in self._envs:
            self._envs[self._env_config] = build_env(replace(self.config, env=self._env_config), self._num_envs)
        return self._envs[self._env_config]

    @cached_property
    def actor(self) -> ModelActor:
        """The run's policy as an actor in the environment."""
        return ModelActor(self._parts.model, self._parts.agent, self.env.num_envs, self.streams.key("actor"))

    @cached_property
    def predictor(self) -> OpenLoopPredictor:
        """The world model, which predicts after the context of windows. ConfigError if the run has none."""
        return OpenLoopPredictor(self._parts.world_model, self.settings.context)

    @cached_property
    def imagined_player(self) -> ImaginedPlayer:
        """The policy inside the world model. ConfigError if the run has none."""
        settings = self.settings
        return ImaginedPlayer(self._parts.world_model, self._parts.agent, settings.context, settings.horizon)

    def planner(self, config: PlannerConfig) -> PlannerActor:
        """Return an actor that plans in the world model. ConfigError if the run has none."""
        parts = self._parts
        return PlannerActor(parts.world_model, parts.agent, config, self.env.num_envs, self.streams.key("actor"))

    def require_model(self) -> None:
        """Raise ConfigError if the run has no world model."""
        _ = self._parts.world_model

    def play(self, actor: Any, noops: int, observer: StepObserver | None = None) -> Episodes:
        """Return the episodes of an actor on the levels in use.

        Args:
            noops: the most no-ops at the start of an episode.
            observer: is called with each step of the first round.
        """
        settings, levels, progress = self.settings, self.streams.integer("levels"), _Progress(self.report)

        def observe(step: Step, returns: np.ndarray, playing: np.ndarray) -> None:
            progress(step, returns, playing)
            if observer is not None:
                observer(step, returns, playing)

        info, episodes, most = self._env_config.info, settings.episodes, settings.max_steps
        return evaluate_policy(self.env, actor, episodes, most, levels, noops, observe, info)

    def random_play(self, noops: int) -> Episodes:
        """Return the episodes of random actions on the same levels; they never change, so they are played once."""
        actor = RandomActor(self.spec.action, self.streams.generator(f"random {noops}"))
        return self._baseline("at random", actor, noops)

    def blind_play(self, noops: int) -> Episodes | None:
        """Return the episodes of the best policy that sees nothing on the same levels, played once; None for
        environments for which none was searched."""
        if (policy := blind_policy(self._env_config)) is None:
            return None
        actor = BlindActor(policy, self.env.num_envs, self.streams.generator(f"blind {noops}"))
        return self._baseline("without seeing", actor, noops)

    def _baseline(self, how: str, actor: Any, noops: int) -> Episodes:
        key = (how, self._env_config, noops)
        if key not in self._baselines:
            self.report(f"Playing {counted(self.settings.episodes, 'episode')} {how}, noops{noops}")
            self._baselines[key] = self.play(actor, noops)
        return self._baselines[key]

    def level_seeds(self) -> np.ndarray | None:
        """Return the level seeds of the first episode of each environment, which all settings share.

        None if the game does not report them.
        """
        _, info = self.env.reset(seed=Streams(self.streams.integer("levels")).integer("levels 0"))
        return info.get("level_seed")

    def windows(self, name: str, count: int, horizon: int, spread: int = 16, temperature: float = 1.0) -> Batch:
        """Play, and return `count` windows of experience that no training has seen.

        Args:
            name: of their random stream.
            horizon: steps after the context.
            spread: see `play_windows`.
        """
        self.actor.reset(self.streams.key(name), temperature)
        length = self.settings.context + horizon
        return play_windows(self.env, self.actor, count, length, self.streams.integer(name), spread)

    def recorded(self) -> Batch:
        """Return windows of the policy's own play in the environment in use, played at the first call."""
        if self._recorded is None:
            self._recorded = self.windows("recording", self.settings.windows, self.settings.horizon)
        return self._recorded

    def forget_recorded(self) -> None:
        """Free the windows of `recorded`, which are large."""
        self._recorded = None

    def close(self) -> None:
        """Close the environments."""
        for env in self._envs.values():
            env.close()


class _Progress:
    """A `StepObserver` that reports a line every `PROGRESS_SECONDS`: a planner may take minutes."""

    def __init__(self, report: Callable[[str], None]) -> None:
        self._report, self._steps, self._reported = report, 0, time.monotonic()

    def __call__(self, step: Step, returns: np.ndarray, playing: np.ndarray) -> None:
        self._steps += 1
        if time.monotonic() - self._reported > PROGRESS_SECONDS:
            self._report(f"  step {self._steps}: {playing.sum()} of {counted(len(playing), 'episode')} not over")
            self._reported = time.monotonic()
