"""Measures the parts of a run, as often as wanted: each time on the same levels and with the same seeds.

So differences between two times are differences of what was learned in between. Environments, random streams and
actors are the evaluator's own: what is measured never notices.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from worldmodels.acting.actor import ModelActor, RandomActor
from worldmodels.acting.build import Parts
from worldmodels.config.environment import build_env
from worldmodels.config.run_config import EvaluationConfig
from worldmodels.core.errors import ConfigError
from worldmodels.core.seeding import Streams, fold
from worldmodels.core.specs import ObservationSpec
from worldmodels.core.types import Batch, Step
from worldmodels.envs import can_save, tells_variables
from worldmodels.envs.config import EnvConfig
from worldmodels.envs.games.levels import Levels, on_levels
from worldmodels.evaluation.measures.action_effects import ActionEffects, Outcomes, compare_outcomes, real_outcomes
from worldmodels.evaluation.measures.grid import Cell, grid_settings
from worldmodels.evaluation.measures.imagined_play import ImaginedPlay, ImaginedPlayer, compare_play, usable_starts
from worldmodels.evaluation.measures.knowledge import Knowledge, ProbeData, probe
from worldmodels.evaluation.measures.model_errors import WorldModelErrors, counting, model_errors, reported_horizons
from worldmodels.evaluation.measures.optimism import Optimism, measure_optimism
from worldmodels.evaluation.measures.policy_returns import Episodes, evaluate_policy
from worldmodels.evaluation.planner_actor import PlannerActor
from worldmodels.evaluation.predictions.open_loop import OpenLoopPredictor
from worldmodels.evaluation.predictions.windows import Moments, play_moments, play_probed, play_windows
from worldmodels.evaluation.report.episode_film import EpisodeFilm
from worldmodels.imagination.model_view import Prediction
from worldmodels.imagination.planner_config import PlannerConfig
from worldmodels.models.api import ModelSpec

PROBED = 128
"""Windows that test probes, at most: enough for a share of variance, and half of the memory."""
MOMENTS = 128
"""Moments at which all actions are tried, at most, but for a last round of all environments."""
HELD = 5
"""Steps for which each action is then held."""
PROGRESS_SECONDS = 15.0
"""Seconds between two lines of progress while episodes are played."""


class FilmedCell(NamedTuple):
    """A cell of the grid, and a film of some of it."""

    cell: Cell
    film: EpisodeFilm | None
    """The film of its first episodes; None where nothing was filmed."""


class FilmedErrors(NamedTuple):
    """The errors of a world model on W windows of T = C + H steps, and its frames of n of them."""

    errors: dict[float, WorldModelErrors]
    """The errors by the model's temperature."""
    predicted: np.ndarray | None
    """uint8 (n, H, h, w, c): the predicted frames, under the first temperature; None for a model that has none."""
    reconstruction: np.ndarray | None
    """uint8 (n, T, h, w, c): its images of the frames that it observes; None for a model that has none."""


class ImaginedResult(NamedTuple):
    """The play of a policy inside the model, under one pair of temperatures."""

    temperature: float
    """The temperature of the policy's sampling."""
    model_temperature: float
    """The temperature of the model's sampling."""
    play: ImaginedPlay
    windows: Batch
    """The windows of W starts, and what really followed."""
    predicted: Prediction
    """The frames, rewards and continuations in the model: NumPy arrays, leading (W, H)."""

    @property
    def name(self) -> str:
        """The temperatures as they stand in the names of metrics and files."""
        return f"t{self.temperature:g}_model{self.model_temperature:g}"


class Evaluator:
    """An evaluator measures `parts` by `settings`.

    Args:
        streams: all randomness. Equal streams and weights give equal numbers.
        environments: played at once, at most.
        report: is given a line about what comes next.
        levels: those that are played at first.
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
        self._parts, self._settings, self._streams, self._report = parts, settings, streams, report
        rounds = -(-settings.episodes // environments)
        self._num_envs = -(-settings.episodes // rounds)  # the rounds are equally large
        self._envs: dict[EnvConfig, Any] = {}
        self._random: dict[tuple[EnvConfig, int], Episodes] = {}
        self.use_levels(levels)

    def use_levels(self, levels: Levels) -> None:
        """Play on the training levels or on the test levels from now on; all graphs serve both.

        Raises:
            ConfigError: the run has no test levels.
        """
        self.use_env(on_levels(self._parts.config.env, levels))

    def use_env(self, config: EnvConfig) -> None:
        """Play in an environment of the same spaces from now on; all graphs serve all of them."""
        self._env_config = config

    @property
    def _env(self) -> Any:
        """The environment in use, made when it is first played."""
        if self._env_config not in self._envs:
            self._envs[self._env_config] = build_env(replace(self._parts.config, env=self._env_config), self._num_envs)
        return self._envs[self._env_config]

    @cached_property
    def _actor(self) -> ModelActor:
        return ModelActor(self._parts.model, self._parts.agent, self._env.num_envs, self._streams.key("actor"))

    @property
    def spec(self) -> ModelSpec:
        """The spec of the run's model, which says what of it can be measured."""
        return self._parts.model.spec

    def require_model(self) -> None:
        """Check that there is a world model.

        Raises:
            ConfigError: there is none.
        """
        _ = self._parts.world_model

    def planner(self, config: PlannerConfig) -> PlannerActor:
        """Return an actor for `grid` that plans.

        Raises:
            ConfigError: the run has no world model to plan in.
        """
        parts = self._parts
        return PlannerActor(parts.world_model, parts.agent, config, self._env.num_envs, self._streams.key("actor"))

    def random_actor(self) -> RandomActor:
        """Return an actor for `grid` that shows what chance alone makes of the numbers."""
        return RandomActor(self.spec.action, self._streams.generator("random player"))

    def grid(self, player: PlannerActor | RandomActor | None = None, filmed: int = 0) -> list[FilmedCell]:
        """Play the policy, or another player, in the real world under each setting, and return the cells.

        Args:
            filmed: episodes in the film of each cell; there is none where the environment shows no images.
        """
        cells, plans = [], isinstance(player, PlannerActor)
        actor: Any = player or self._actor
        image = filmed_part(self.spec.observation)
        for setting in grid_settings(self._settings, plans, not isinstance(player, RandomActor)):
            self._report(f"Playing {self._settings.episodes} episodes, {setting.name}")
            actor.reset(self._streams.key(f"policy {setting.temperature} {setting.noops}"), setting.temperature)
            if plans:
                actor.set_model_temperature(setting.model_temperature)
            film = EpisodeFilm(filmed, image) if filmed and image is not None else None
            cell = Cell(setting, self._play(actor, setting.noops, film), self.random_play(setting.noops))
            cells.append(FilmedCell(cell, film))
        return cells

    def random_play(self, noops: int) -> Episodes:
        """Return the episodes of random actions on the same levels; they never change, so they are played once."""
        if (self._env_config, noops) not in self._random:
            self._report(f"Playing {self._settings.episodes} episodes at random, noops{noops}")
            actor = RandomActor(self.spec.action, self._streams.generator(f"random {noops}"))
            self._random[self._env_config, noops] = self._play(actor, noops)
        return self._random[self._env_config, noops]

    def windows(self, name: str, count: int, horizon: int, spread: int = 16, temperature: float = 1.0) -> Batch:
        """Play, and return `count` windows of experience that no training has seen.

        Args:
            name: of their random stream.
            horizon: steps after the context.
            spread: see `play_windows`.
        """
        self._actor.reset(self._streams.key(name), temperature)
        length = self._settings.context + horizon
        return play_windows(self._env, self._actor, count, length, self._streams.integer(name), spread)

    def predict(self, windows: Batch, temperature: float = 1.0) -> Prediction:
        """Return what the world model predicts after the context of windows.

        Raises:
            ConfigError: there is no world model.
        """
        return self._predictor.predict(windows, self._streams.key("prediction"), temperature)

    def reconstruct(self, windows: Batch) -> np.ndarray | None:
        """Return the world model's images of the frames of windows, uint8 (W, T, h, w, c); None if it has none."""
        return self._predictor.reconstruct(windows, self._streams.key("reconstruction"))

    def errors(self, windows: Batch) -> dict[float, WorldModelErrors]:
        """Return the world model's errors by its temperature."""
        return self.filmed_errors(windows, ()).errors

    def filmed_errors(self, windows: Batch, filmed: Sequence[int] | np.ndarray) -> FilmedErrors:
        """Return the world model's errors, and its frames of some windows.

        Args:
            filmed: the indices of these windows.
        """
        self._report(f"Predicting {len(windows.action)} windows")
        key, predictions, errors = self._streams.key("prediction"), [], {}
        seen, reconstruction = self._predictor.measure_reconstruction(
            windows, self._streams.key("reconstruction"), filmed
        )
        for temperature in self._settings.model_temperatures:
            measured, frames = self._predictor.measure(windows, key, temperature, filmed)
            foresight = self._predictor.foresight(windows, self._streams.key("foresight"), temperature)
            errors[temperature] = model_errors(measured, windows, self._settings.context, self.spec, seen, foresight)
            predictions.append(frames)
        return FilmedErrors(errors, predictions[0], reconstruction)

    def knowledge(self) -> Knowledge | None:
        """Return what linear probes read of the game's true variables; None where the environment does not tell them.

        Raises:
            ConfigError: there is no world model.
        """
        settings, env = self._settings, self._env
        if not tells_variables(env) or env.num_envs < 2:
            return None
        self._report(f"Reading {len(env.variable_names)} variables of the game from the model's features")
        self._actor.reset(self._streams.key("probed"))
        length = settings.context + settings.horizon
        windows = min(settings.windows, PROBED)
        played = play_probed(env, self._actor, windows, length, self._streams.integer("probed"))
        seen, imagined = self._predictor.features(played.windows, self._streams.key("features"))
        counts = counting(played.windows.is_last, settings.context)
        data = ProbeData(played.features, played.variables, seen, imagined, played.truth, counts)
        return probe(data, env.variable_units, reported_horizons(settings.horizon))

    def action_effects(self) -> ActionEffects | None:
        """Return whether the model knows what actions do; None where the environment cannot be saved, or shows and
        takes anything but one image and choices.

        Raises:
            ConfigError: there is no world model.
        """
        settings, env = self._settings, self._env
        if not can_save(env) or not self.spec.action.is_discrete or self.spec.image != "":  # the only part is an image
            return None
        actions, rounds = self.spec.action.count, -(-min(settings.windows, MOMENTS) // env.num_envs)
        self._report(f"Trying all {actions} actions at {rounds * env.num_envs} moments, really and in the model")
        self._actor.reset(self._streams.key("moments"))
        moments = play_moments(env, self._actor, rounds, settings.context, self._streams.integer("moments"))
        return compare_outcomes((self._tried(each, i) for i, each in enumerate(moments)), HELD)

    def _tried(self, moments: Moments, number: int) -> tuple[Outcomes, Outcomes]:
        """Return what follows from each action, really and in the model, where the episode is not over."""
        real = real_outcomes(self._env, moments.states, HELD)
        key = fold(self._streams.key("held actions"), number)
        predicted = self._predictor.hold_actions(moments.windows, len(real.reward), HELD, key)
        goes_on = ~moments.windows.is_last[:, -1]
        real, predicted = (Outcomes(*(values[:, goes_on] for values in each)) for each in (real, predicted))
        return real, predicted

    def imagined(self) -> list[ImaginedResult]:
        """Play the policy inside the model, for each of its temperatures and each of the model's.

        Raises:
            ConfigError: there is no world model, or no start that can be used.
        """
        context, results = self._settings.context, []
        for temperature in self._settings.temperatures:
            windows = self._starts(temperature)
            for model_temperature in self._settings.model_temperatures:
                key = self._streams.key(f"imagined {temperature} {model_temperature}")
                predicted = self._player.play(windows, key, temperature, model_temperature)
                play = compare_play(predicted, windows, context)
                results.append(ImaginedResult(temperature, model_temperature, play, windows, predicted))
        return results

    def optimism(self, windows: Batch) -> Optimism | None:
        """Play the policy inside the model from the starts of windows that it has played itself.

        Returns:
            Its returns in the model beside the real ones; None where no start can be used.

        Raises:
            ConfigError: there is no world model.
        """
        context = self._settings.context
        usable = usable_starts(windows, context)
        if not usable.any():
            return None
        windows = windows.map(lambda values: values[usable])
        played = self._player.play(windows, self._streams.key("optimism"), 1.0, 1.0, frames=False)
        return measure_optimism(played, windows, context)

    def level_seeds(self) -> np.ndarray | None:
        """Return the level seeds of the first episode of each environment, which all settings share.

        None where the game does not say.
        """
        _, info = self._env.reset(seed=Streams(self._streams.integer("levels")).integer("levels 0"))
        return info.get("level_seed")

    def close(self) -> None:
        """Close the environments."""
        for env in self._envs.values():
            env.close()

    @cached_property
    def _predictor(self) -> OpenLoopPredictor:
        return OpenLoopPredictor(self._parts.world_model, self._settings.context)

    @cached_property
    def _player(self) -> ImaginedPlayer:
        settings = self._settings
        return ImaginedPlayer(self._parts.world_model, self._parts.agent, settings.context, settings.horizon)

    def _starts(self, temperature: float) -> Batch:
        """Return windows with usable starts, played by the policy itself."""
        settings = self._settings
        self._report(f"Playing {settings.windows} starts at temperature {temperature:g}, really and in the model")
        windows = self.windows(f"imagined {temperature}", settings.windows, settings.horizon, 16, temperature)
        usable = usable_starts(windows, settings.context)
        if not usable.any():
            raise ConfigError(
                f"None of {settings.windows} recorded starts was followed by {settings.horizon} steps without a "
                "time limit: choose a smaller evaluation.horizon, or more evaluation.windows."
            )
        return windows.map(lambda values: values[usable])

    def _play(self, actor: Any, noops: int, film: EpisodeFilm | None = None) -> Episodes:
        settings, levels, progress = self._settings, self._streams.integer("levels"), _Progress(self._report)

        def observe(step: Step, returns: np.ndarray, playing: np.ndarray) -> None:
            progress(step, returns, playing)
            if film is not None:
                film(step, returns, playing)

        info, episodes, most = self._env_config.info, settings.episodes, settings.max_steps
        return evaluate_policy(self._env, actor, episodes, most, levels, noops, observe, info)


def filmed_part(observation: ObservationSpec) -> str | None:
    """Return the name of the part of observations that a film shows: the first image of 3 colours or of 1, if any."""
    names = (name for name, part in observation.parts if part.is_image and part.shape[-1] in (1, 3))
    return next(names, None)


class _Progress:
    """A `StepObserver` that reports a line every `PROGRESS_SECONDS`: a planner may think for minutes."""

    def __init__(self, report: Callable[[str], None]) -> None:
        self._report, self._steps, self._reported = report, 0, time.monotonic()

    def __call__(self, step: Step, returns: np.ndarray, playing: np.ndarray) -> None:
        self._steps += 1
        if time.monotonic() - self._reported > PROGRESS_SECONDS:
            self._report(f"  step {self._steps}: {playing.sum()} of {len(playing)} episodes go on")
            self._reported = time.monotonic()
