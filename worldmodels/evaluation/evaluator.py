"""Measures the parts of a run, as often as wanted: each time on the same levels and with the same seeds.

So differences between two times are differences of what was learned in between. Environments, random streams and
actors are the evaluator's own: what is looked at never notices.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from worldmodels.core.errors import ConfigError
from worldmodels.core.seeding import Streams
from worldmodels.core.types import Batch, Step
from worldmodels.evaluation.film import EpisodeFilm
from worldmodels.evaluation.grid import Cell, grid_settings
from worldmodels.evaluation.imagined import Dream, Dreamer, ImaginedPlay, compare_play, usable_starts
from worldmodels.evaluation.noops import noop_action
from worldmodels.evaluation.planning import PlannerActor
from worldmodels.evaluation.policy import Episodes, evaluate_policy
from worldmodels.evaluation.prediction import OpenLoopPrediction, Predictor
from worldmodels.evaluation.recording import record_windows
from worldmodels.evaluation.world_model import WorldModelErrors, compare
from worldmodels.imagination.planner_config import PlannerConfig
from worldmodels.runtime.actor import ModelActor, RandomActor
from worldmodels.runtime.build import Parts
from worldmodels.runtime.config import EvaluationConfig
from worldmodels.runtime.environment import build_env

TELL_SECONDS = 15.0
"""Between two signs of life."""


class GridResult(NamedTuple):
    """One cell of the grid, and a film of its first episodes."""

    cell: Cell
    film: EpisodeFilm


class Imagined(NamedTuple):
    """A policy inside the model, under one pair of temperatures."""

    temperature: float
    model_temperature: float
    play: ImaginedPlay
    windows: Batch
    """The starts, and what really followed."""
    dream: Dream

    @property
    def name(self) -> str:
        """As it stands in the names of metrics and files."""
        return f"t{self.temperature:g}_model{self.model_temperature:g}"


class Evaluator:
    """Measures `parts` by `settings`.

    Args:
        streams: all randomness. Equal streams and weights give equal numbers.
        environments: played at once, at most.
        tell: is given a line about what comes next.
    """

    def __init__(
        self,
        parts: Parts,
        settings: EvaluationConfig,
        streams: Streams,
        environments: int,
        tell: Callable[[str], None] = lambda text: None,
    ):
        self._parts, self._settings, self._streams, self._tell = parts, settings, streams, tell
        rounds = -(-settings.episodes // environments)
        self._env: Any = build_env(parts.config, -(-settings.episodes // rounds))  # the rounds are equally large
        self._actor = ModelActor(parts.model, parts.agent, self._env.num_envs, streams.key("actor"))
        self._random: dict[int, Episodes] = {}

    @property
    def knows_model(self) -> bool:
        """Whether there is a world model to measure."""
        return self._parts.model.spec.imagines

    def require_model(self) -> None:
        """Raises ConfigError where there is no world model."""
        _ = self._parts.world_model

    def planner(self, config: PlannerConfig) -> PlannerActor:
        """An actor for `grid`. Raises ConfigError where the run has no world model to plan in."""
        parts = self._parts
        return PlannerActor(parts.world_model, parts.agent, config, self._env.num_envs, self._streams.key("actor"))

    def random_actor(self) -> RandomActor:
        """An actor for `grid`, to see what chance alone makes of the numbers."""
        return RandomActor(self._parts.model.spec.num_actions, self._streams.generator("random player"))

    def grid(self, player: PlannerActor | RandomActor | None = None, filmed: int = 0) -> list[GridResult]:
        """What the policy, or another player, earns in the real world under each setting.

        Args:
            filmed: episodes in the film of each cell.
        """
        played, plans = [], isinstance(player, PlannerActor)
        actor: Any = player or self._actor
        for setting in grid_settings(self._settings, plans, not isinstance(player, RandomActor)):
            self._tell(f"Playing {self._settings.episodes} episodes, {setting.name}")
            actor.reset(self._streams.key(f"policy {setting.temperature} {setting.noops}"), setting.temperature)
            if plans:
                actor.set_model_temperature(setting.model_temperature)
            film = EpisodeFilm(filmed)
            cell = Cell(setting, self._play(actor, setting.noops, film), self.random_play(setting.noops))
            played.append(GridResult(cell, film))
        return played

    def random_play(self, noops: int) -> Episodes:
        """What random actions earn on the same levels; it never changes, so it is played once."""
        if noops not in self._random:
            self._tell(f"Playing {self._settings.episodes} episodes at random, noops{noops}")
            actor = RandomActor(self._parts.model.spec.num_actions, self._streams.generator(f"random {noops}"))
            self._random[noops] = self._play(actor, noops)
        return self._random[noops]

    def record(self, name: str, windows: int, horizon: int, spread: int = 16, temperature: float = 1.0) -> Batch:
        """Windows of experience that no training has seen, made by playing; `name` is their random stream."""
        self._actor.reset(self._streams.key(name), temperature)
        length = self._settings.context + horizon
        return record_windows(self._env, self._actor, windows, length, self._streams.integer(name), spread)

    def predict(self, windows: Batch, temperature: float = 1.0) -> OpenLoopPrediction:
        """What the world model makes of them. Raises ConfigError where there is none."""
        return self._predictor.predict(windows, self._streams.key("prediction"), temperature)

    def errors(self, recording: Batch) -> dict[float, WorldModelErrors]:
        """The world model's errors, for each of its temperatures."""
        self._tell(f"Predicting {len(recording.action)} windows")
        context = self._settings.context
        return {
            temperature: compare(self.predict(recording, temperature), recording, context)
            for temperature in self._settings.model_temperatures
        }

    def imagined(self) -> list[Imagined]:
        """The policy inside the model, for each of its temperatures and each of the model's.

        Raises ConfigError where there is no world model, or no start that can be used.
        """
        settings, context, results = self._settings, self._settings.context, []
        for temperature in settings.temperatures:
            self._tell(f"Playing {settings.windows} starts at temperature {temperature:g}, really and in the model")
            recorded = self.record(f"imagined {temperature}", settings.windows, settings.horizon, 16, temperature)
            usable = usable_starts(recorded, context)
            if not usable.any():
                raise ConfigError(
                    f"None of {settings.windows} recorded starts was followed by {settings.horizon} steps without a "
                    "time limit: choose a smaller evaluation.horizon, or more evaluation.windows."
                )
            windows = Batch._make(values[usable] for values in recorded)
            for heat in settings.model_temperatures:
                key = self._streams.key(f"imagined {temperature} {heat}")
                dream = self._dreamer.dream(windows, key, temperature, heat)
                results.append(Imagined(temperature, heat, compare_play(dream, windows, context), windows, dream))
        return results

    def close(self) -> None:
        self._env.close()

    @cached_property
    def _predictor(self) -> Predictor:
        return Predictor(self._parts.world_model, self._settings.context)

    @cached_property
    def _dreamer(self) -> Dreamer:
        settings = self._settings
        return Dreamer(self._parts.world_model, self._parts.agent, settings.context, settings.horizon)

    def level_seeds(self) -> np.ndarray | None:
        """Of the first episode of each environment, which all settings share; None where the game does not say."""
        _, info = self._env.reset(seed=Streams(self._streams.integer("levels")).integer("levels 0"))
        return info.get("level_seed")

    def _play(self, actor: Any, noops: int, film: EpisodeFilm | None = None) -> Episodes:
        settings, levels = self._settings, self._streams.integer("levels")
        noop, told, steps = noop_action(self._env), time.monotonic(), 0

        def watch(step: Step, returns: np.ndarray, playing: np.ndarray) -> None:
            nonlocal told, steps
            steps += 1
            if film is not None:
                film(step, returns, playing)
            if time.monotonic() - told > TELL_SECONDS:  # a planner may think for minutes
                self._tell(f"  step {steps}: {playing.sum()} of {len(playing)} episodes go on")
                told = time.monotonic()

        return evaluate_policy(self._env, actor, settings.episodes, settings.max_steps, levels, noops, noop, watch)
