"""When does a model foresee the end of an episode?

From each of its moments, the model goes on alone under the actions that were really taken, and says when it will end.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import tensorflow as tf

from worldmodels.core.errors import UserError
from worldmodels.core.seeding import fold
from worldmodels.evaluation.prediction import ROWS
from worldmodels.imagination.rollout import unroll
from worldmodels.models.api import WorldModel
from worldmodels.runtime.action_recording import ActionRecording
from worldmodels.runtime.action_replay import replay_actions

NEAR = 2
"""Steps by which a predicted end may be off."""


class Foresight(NamedTuple):
    """Of one episode of T steps."""

    length: int
    """T."""
    ended: bool
    """The game itself ended it after the last step; else it was only left."""
    total: float
    """Its return."""
    predicted_end: np.ndarray
    """float64 (T,): the step at which the episode ends, foretold from each of its moments 0 to T - 1; NaN where the
    model, looking as far as it was asked to, foresees none."""

    @property
    def first_foreseen(self) -> int | None:
        """The first moment from which on the end was always foretold to within `NEAR` steps; None if never."""
        right = np.abs(self.predicted_end - self.length) <= NEAR
        wrong = np.flatnonzero(~right)
        first = int(wrong[-1]) + 1 if len(wrong) else 0
        return first if self.ended and first < self.length else None


class Lived(NamedTuple):
    """An episode as the game shows it: T actions, and the T + 1 frames around them."""

    frames: np.ndarray
    actions: np.ndarray
    total: float
    ended: bool


def live_again(played: ActionRecording, number: int, name: Path | str = "the recording") -> Lived:
    """Play a recording up to the end of episode `number`, counted from 1, and give that one.

    Raises:
        UserError: it has no such episode, or no longer agrees with the game; says so with the recording's `name`.
    """
    if not 1 <= number <= len(played.episodes):
        raise UserError(f"The recording has {len(played.episodes)} episodes. Received the number {number}.")
    upto = replace(played, episodes=played.episodes[:number])
    moments = [moment for moment in replay_actions(upto, name) if moment.episode == number]
    return Lived(
        frames=np.stack([moment.observation for moment in moments]),
        actions=np.array([moment.action for moment in moments[:-1]], np.int32),
        total=sum(moment.reward for moment in moments),
        ended=moments[-1].terminated,
    )


class Foreseer:
    """Asks one model, in graphs that are traced once for each length of an episode."""

    def __init__(self, model: WorldModel, horizon: int, temperature: float = 1.0):
        self._model, self._horizon = model, horizon
        self._temperature = tf.constant(temperature, tf.float32)
        self._watch = tf.function(self._states, autograph=False)
        self._continue = tf.function(self._ends, autograph=False)

    def foresee(self, lived: Lived, key: np.ndarray) -> Foresight:
        """What the model says from each moment of an episode.

        Args:
            key: int32 (2,), of all samples.
        """
        length = len(lived.actions)
        previous = np.concatenate([[0], lived.actions[:-1]]).astype(np.int32)
        is_first = np.arange(length) == 0
        watched = (lived.frames[None, :length], previous[None], is_first[None])
        states = self._watch(*map(tf.constant, watched), tf.constant(fold(key, 0)))
        # What would be done after the end is not known; nothing that is foretold for then is asked for.
        actions = np.concatenate([lived.actions, np.zeros(self._horizon, np.int32)])
        ahead = np.lib.stride_tricks.sliding_window_view(actions, self._horizon)[:length]
        rows = ROWS[self._model.spec.feature_kind]
        ends = [self._row_group(states, ahead, first, rows, key) for first in range(0, length, rows)]
        predicted = np.arange(length) + np.concatenate(ends)[:length]
        predicted[predicted > length + NEAR] = np.nan
        return Foresight(length, lived.ended, lived.total, predicted)

    def _row_group(self, states: Any, ahead: np.ndarray, first: int, rows: int, key: np.ndarray) -> np.ndarray:
        """Steps until the end, from some moments; the last group is filled up with its last moment."""
        index = np.minimum(np.arange(first, first + rows), len(ahead) - 1)
        group = tf.nest.map_structure(lambda x: tf.gather(x, index), states)
        seed = tf.constant(fold(key, 1 + first))
        return self._continue(group, tf.constant(ahead[index].T), seed).numpy()[: len(ahead) - first]

    def _states(self, frames: Any, previous: Any, is_first: Any, seed: Any) -> Any:
        """After each moment: leading T."""
        states = self._model.observe_sequence(frames, previous, is_first, seed)
        return tf.nest.map_structure(lambda x: x[0], states)

    def _ends(self, states: Any, actions: tf.Tensor, seed: tf.Tensor) -> tf.Tensor:
        """float64 (rows,): steps until the episode has ended with probability one half or more; NaN for never."""
        model = self._model

        def step(state: Any, inputs: Any) -> Any:
            seed, action = inputs
            state = model.imagine(state, action, self._temperature, seed)
            return state, model.continuation(state)

        seeds = tf.random.split(seed, self._horizon)
        _, continuations = unroll(step, states, (seeds, actions), self._horizon)
        over = tf.math.cumprod(continuations, 0) < 0.5
        steps = tf.cast(tf.argmax(tf.cast(over, tf.int32), 0) + 1, tf.float64)
        return tf.where(tf.reduce_any(over, 0), steps, tf.constant(np.nan, tf.float64))
