"""Foresight with a model that knows when its world ends."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest
import tensorflow as tf
from worldmodels.evaluation.film import EpisodeFilm, Moment
from worldmodels.evaluation.foresight import Foreseer, Lived, live_again
from worldmodels.evaluation.recordings import recordings

from worldmodels.core.errors import UserError
from worldmodels.envs import EnvConfig, make
from worldmodels.runtime.action_recording import ActionRecording, RecordedEpisode
from worldmodels.runtime.action_replay import verify

KEY = np.zeros(2, np.int32)


class Clock:
    """A world that ends at step `end`; it sees `prediction` steps ahead, and what it sees shows its age."""

    spec = SimpleNamespace(feature_kind="images")

    def __init__(self, end, prediction):
        self.end, self.prediction = end, prediction

    def observe_sequence(self, observations, previous_actions, is_first, seed, state=None):
        age = tf.cast(observations[:, :, 0, 0, 0], tf.float32)
        return {"age": age, "seen": age}

    def imagine(self, state, action, temperature, seed):
        return {"age": state["age"] + 1.0, "seen": state["seen"]}

    def continuation(self, state):
        foreseen = (state["age"] >= self.end) & (self.end - state["seen"] <= self.prediction)
        return 1.0 - tf.cast(foreseen, tf.float32)


def lived(length, ended=True):
    frames = np.broadcast_to(np.arange(length + 1, dtype=np.uint8)[:, None, None, None], (length + 1, 2, 2, 3))
    return Lived(frames, np.ones(length, np.int32), 3.0, ended)


def test_the_end_is_foreseen_as_far_as_the_model_sees():
    found = Foreseer(Clock(end=20, prediction=6), horizon=10).foresee(lived(20), KEY)
    assert np.isnan(found.predicted_end[:14]).all()
    assert found.predicted_end[14:].tolist() == [20.0] * 6
    assert (found.first_foreseen, found.length, found.total) == (14, 20, 3.0)


def test_no_further_than_the_horizon():
    found = Foreseer(Clock(end=20, prediction=99), horizon=4).foresee(lived(20), KEY)
    assert found.first_foreseen == 16


def test_an_end_foretold_too_early_counts_only_when_it_is_near():
    found = Foreseer(Clock(end=15, prediction=99), horizon=30).foresee(lived(20), KEY)
    assert found.predicted_end[0] == 15
    assert found.first_foreseen == 17  # where it says 18, two steps too early


def test_an_episode_that_was_left_has_no_end_to_foresee():
    assert (
        Foreseer(Clock(end=20, prediction=99), horizon=30).foresee(lived(20, ended=False), KEY).first_foreseen is None
    )


def test_a_recording_is_lived_again():
    env = make("coinrun", num_levels=1)
    frames = [env.reset(seed=0)[0], *(env.step(7)[0] for _ in range(5))]
    played = ActionRecording("coinrun", {"num_levels": 1}, 0, [RecordedEpisode([7] * 5)])
    again = live_again(played, 1)
    np.testing.assert_array_equal(again.frames, frames)
    assert not again.ended and again.actions.tolist() == [7] * 5
    with pytest.raises(UserError, match="has 1 episodes. Received the number 2"):
        live_again(played, 2)


def test_filmed_episodes_become_recordings_that_agree_with_the_game():
    env = make("starpilot", num_levels=5)
    image, info = env.reset(seed=3)
    film, moments = EpisodeFilm(1), []
    for step in range(40):
        action, ended = step % 9, False
        moments.append(Moment(image.copy(), step, 0.0, ended, action))
        image, _, terminated, truncated, _ = env.step(action)
        if terminated or truncated:
            break
    film.episodes = [moments]
    (played,) = recordings(film, EnvConfig(game="starpilot", num_levels=5), np.array([info["level_seed"]]))
    assert played.options["start_level"] == info["level_seed"] and played.options["num_levels"] == 1
    assert len(played.episodes[0].actions) == len(moments) - 1
    verify(played)
