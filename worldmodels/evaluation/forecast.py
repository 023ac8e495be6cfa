"""Runs `worldmodels foresee`: prints when a run's model predicts the end of a recorded episode.

Forecasts the termination of a recorded episode from each of its steps.

From each step the model continues alone under the actions that were really taken, and predicts when the episode ends.
"""

from __future__ import annotations

from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from typing import NamedTuple

import numpy as np
import tensorflow as tf

from worldmodels.analysis.plots.evaluation_plots import plot_forecast
from worldmodels.config.run_config import open_config
from worldmodels.core.errors import UserError, counted
from worldmodels.core.files.run_dir import RunDir
from worldmodels.core.output import print_text
from worldmodels.core.seeding import Streams, fold
from worldmodels.core.types import State
from worldmodels.imagination.model_view import ModelView, Observations
from worldmodels.imagination.row_groups import ROWS, in_row_groups
from worldmodels.loading.load import load_run
from worldmodels.models.api import WorldModel
from worldmodels.models.networks.scan import swap_rows_and_time
from worldmodels.recordings.action_recording import ActionRecording, read_recording
from worldmodels.recordings.action_replay import replay_actions

TOLERANCE = 2
"""Steps by which a predicted end may be off."""
STARTS = {False: 64, True: ROWS}
"""Starts that are continued at once, by `ModelSpec.imagines_images`."""


class ReplayedEpisode(NamedTuple):
    """An episode of T actions as the game shows it when they are taken again."""

    frames: np.ndarray
    """uint8 (T + 1, H, W, C): the frames around the actions."""
    actions: np.ndarray
    """int32 (T,)."""
    total: float
    """The return, in the game's units."""
    terminated: bool
    """The game itself ended it after the last step; else it was only left, or cut by a time limit."""


class TerminationForecast(NamedTuple):
    """The ends that a model predicts from each step of an episode of T steps."""

    length: int
    """T."""
    predicted_end: np.ndarray
    """float64 (T,): the predicted step of the end, from each step 0 to T - 1. NaN if the model predicts no end within
    its horizon."""

    @property
    def first_correct(self) -> int | None:
        """The first step from which on each prediction is right to within `TOLERANCE` steps; None if there is none."""
        wrong = np.flatnonzero(~(np.abs(self.predicted_end - self.length) <= TOLERANCE))
        first = int(wrong[-1]) + 1 if len(wrong) else 0
        return first if first < self.length else None


def replay_episode(
    played: ActionRecording, number: int, name: Path | str = "the recording", game: str = ""
) -> ReplayedEpisode:
    """Play a recording up to the end of episode `number`, counted from 1, and return that one.

    Args:
        name: of the recording, for errors.
        game: the only game that may import a module.

    Raises:
        UserError: it has no such episode, no longer agrees with the game, or has dictionaries or boxes in it.
    """
    if not 1 <= number <= len(played.episodes):
        raise UserError(f"The recording has {counted(len(played.episodes), 'episode')}. Received the number {number}.")
    up_to_it = replace(played, episodes=played.episodes[:number])
    steps = [step for step in replay_actions(up_to_it, name, game) if step.episode == number]
    frames = [step.observation for step in steps if not isinstance(step.observation, dict)]
    if played.box or not frames:
        raise UserError(f"A forecast takes one array as observation and choices as actions; '{name}' has others.")
    return ReplayedEpisode(
        frames=np.stack(frames),
        actions=np.array([step.action for step in steps[:-1]], np.int32),
        total=sum(step.reward for step in steps),
        terminated=steps[-1].terminated,
    )


class TerminationForecaster:
    """A forecaster predicts with one model, in graphs traced once for each length of an episode; it decodes no image.

    Args:
        horizon: steps that the model looks ahead, 1 or more.
        temperature: of the model's samples.
    """

    def __init__(self, model: WorldModel, horizon: int, temperature: float = 1.0) -> None:
        self._view, self._horizon = ModelView(model), horizon
        self._temperature = tf.constant(temperature, tf.float32)
        self._compiled = tf.function(self._steps_to_end, autograph=False)

    def forecast(self, episode: ReplayedEpisode, key: np.ndarray) -> TerminationForecast:
        """Return the ends that the model predicts from each step of an episode of one step or more.

        Args:
            key: int32 (2,), of all samples.
        """
        length = len(episode.actions)
        previous = np.concatenate([[0], episode.actions[:-1]]).astype(np.int32)
        is_first = np.arange(length) == 0
        rows = map(tf.constant, (episode.frames[None, :length], previous[None], is_first[None]))
        states = self._view.observe(Observations(*rows), tf.constant(fold(key, 0)))
        # The actions after the end are unknown, and no prediction of that time is used.
        actions = np.concatenate([episode.actions, np.zeros(self._horizon, np.int32)])
        ahead = np.lib.stride_tricks.sliding_window_view(actions, self._horizon)[:length]
        starts = (tf.nest.map_structure(lambda x: x[0], states), ahead)
        predicted = np.arange(length) + in_row_groups(
            self._compiled, starts, fold(key, 1), most=STARTS[self._view.spec.imagines_images]
        )
        predicted[predicted > length + TOLERANCE] = np.nan
        return TerminationForecast(length, predicted)

    def _steps_to_end(self, starts: tuple[State, tf.Tensor], seed: tf.Tensor) -> tf.Tensor:
        """Return the steps until an episode has ended with probability one half or more, float64; NaN for never."""
        state, actions = starts
        future = self._view.continue_with_actions(
            state, swap_rows_and_time(actions), self._temperature, seed, frames=False
        )
        over = tf.math.cumprod(future.continuation, 0) < 0.5
        steps = tf.cast(tf.argmax(tf.cast(over, tf.int32), 0) + 1, tf.float64)
        return tf.where(tf.reduce_any(over, 0), steps, tf.constant(np.nan, tf.float64))


def forecast_run(run: str | Path, file: str | Path, episode: int = 1, horizon: int = 50, seed: int = 0) -> Path | None:
    """Print when a run's model predicts the end of an episode, draw its predictions, and return the picture's path.

    An episode that was left before the game ended it has no end to predict: that is said, and None is returned.

    Args:
        file: a recording of actions.
        episode: its number in the recording, from 1.
        horizon: steps that the model looks ahead.
        seed: of the model's samples.

    Raises:
        UserError: the run has no world model, the recording is damaged or has no such episode.
    """
    if horizon < 1:
        raise UserError(f"The horizon must be 1 or more. Received {horizon}.")
    recording = read_recording(file)
    game = "" if recording.is_native else open_config(RunDir.open(run)).env.game
    replayed = replay_episode(recording, episode, file, game)
    length = len(replayed.actions)
    if not length:
        raise UserError(f"Episode {episode} of '{file}' has no step.")
    loaded = load_run(run)
    forecaster = TerminationForecaster(loaded.parts.world_model, horizon)
    print_text(f"Episode {episode} of {file}: {counted(length, 'step')}, return {replayed.total:g}.")
    if not replayed.terminated:
        print_text("It was left before the game ended it: there is no end to predict, and no picture is written.")
        return None
    forecast = forecaster.forecast(replayed, Streams(seed).key("foresee"))
    print_text(_verdict(forecast, horizon))
    name = f"{loaded.step:08d}_{Path(file).stem}_{_digest(file)}_{episode}"
    save = loaded.run_dir.eval / f"forecast_{name}.png"
    title = f"{recording.game}, {Path(file).stem}, episode {episode}"
    path = plot_forecast(forecast.predicted_end, forecast.first_correct, save, title)
    print_text(f"Written:\n  {path}")
    return path


def _digest(file: str | Path) -> str:
    """Return eight digits of a hash of a file: recordings of `eval` in different folders have the same names."""
    return sha256(Path(file).read_bytes()).hexdigest()[:8]


def _verdict(forecast: TerminationForecast, horizon: int) -> str:
    first = forecast.first_correct
    if first is None:
        return f"The model, looking {horizon} steps ahead, never predicted the end."
    ahead = forecast.length - first
    return f"The model predicted the end {ahead} steps ahead, at step {first}, and from then on every time."
