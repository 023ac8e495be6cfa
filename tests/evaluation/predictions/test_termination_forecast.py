"""A termination forecast by a model that knows when its world ends."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import tensorflow as tf
from image_spaces import image_spec

from worldmodels.core.errors import UserError
from worldmodels.envs import make
from worldmodels.evaluation.forecast import (
    ReplayedEpisode,
    TerminationForecast,
    TerminationForecaster,
    replay_episode,
)
from worldmodels.recordings.action_recording import ActionRecording, RecordedEpisode

KEY = np.zeros(2, np.int32)


class Clock:
    """A world that ends at step `end`; it predicts `prediction` steps ahead, and an observed frame shows its age."""

    spec = image_spec((2, 2, 3), 9, (2, 2, 3))

    def __init__(self, end: int, prediction: int) -> None:
        self.end, self.prediction = end, prediction

    def observe_sequence(self, observations, previous_actions, is_first, seed, state=None):
        age = tf.cast(observations[:, :, 0, 0, 0], tf.float32)
        return {"age": age, "observed": age}

    def imagine(self, state, action, temperature, seed):
        return {"age": state["age"] + 1.0, "observed": state["observed"]}

    def readable(self, state):
        return state

    def reward(self, state):
        return state["age"]

    def continuation(self, state):
        predicted = (state["age"] >= self.end) & (self.end - state["observed"] <= self.prediction)
        return 1.0 - tf.cast(predicted, tf.float32)

    def frame(self, state, before=None):
        raise AssertionError("a forecast reads no image")


def forecast(model: Any, horizon: int, length: int = 20) -> TerminationForecast:
    """The forecast of an episode of `length` steps."""
    frames = np.broadcast_to(np.arange(length + 1, dtype=np.uint8)[:, None, None, None], (length + 1, 2, 2, 3))
    episode = ReplayedEpisode(frames, np.ones(length, np.int32), 3.0, True)
    return TerminationForecaster(model, horizon).forecast(episode, KEY)


def test_the_end_is_predicted_as_far_ahead_as_the_model_can() -> None:
    found = forecast(Clock(end=20, prediction=6), horizon=10)
    assert np.isnan(found.predicted_end[:14]).all()
    assert found.predicted_end[14:].tolist() == [20.0] * 6
    assert (found.first_correct, found.length) == (14, 20)


def test_no_further_than_the_horizon() -> None:
    assert forecast(Clock(end=20, prediction=99), horizon=4).first_correct == 16


def test_an_end_predicted_too_early_counts_only_when_it_is_near() -> None:
    found = forecast(Clock(end=15, prediction=99), horizon=30)
    assert found.predicted_end[0] == 15
    assert found.first_correct == 17  # where it says 18, two steps too early


def test_an_end_that_is_never_predicted() -> None:
    assert forecast(Clock(end=99, prediction=99), horizon=10).first_correct is None


def test_an_episode_is_replayed() -> None:
    env = make("coinrun", num_levels=1)
    frames = [env.reset(seed=0)[0], *(env.step(7)[0] for _ in range(5))]
    recording = ActionRecording("coinrun", {"num_levels": 1}, 0, [RecordedEpisode([7] * 5)])
    episode = replay_episode(recording, 1)
    np.testing.assert_array_equal(episode.frames, frames)
    assert not episode.terminated and episode.actions.tolist() == [7] * 5
    with pytest.raises(UserError, match="has 1 episode. Received the number 2"):
        replay_episode(recording, 2)
