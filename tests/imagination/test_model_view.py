"""What a model view gives in one call is what the model says in four."""

from __future__ import annotations

from typing import Any

import numpy as np
import tensorflow as tf
from image_spaces import image_spec

from worldmodels.imagination.model_view import ModelView, Observations
from worldmodels.models.graph import graph


class Counter:
    """A world whose state is a number: actions add to it, and everything that is said of it follows from it."""

    spec: Any = image_spec((2, 2, 3), 3, (1,))
    traced = 0

    @graph
    def imagine(self, state, action, temperature, seed):
        self.traced += 1
        return state + tf.cast(action, tf.float32) * temperature

    @graph
    def frame(self, state, before=None):
        return tf.cast(state, tf.uint8)[:, None, None, None] * tf.ones((1, 2, 2, 3), tf.uint8)

    @graph
    def reward(self, state):
        return 10 * state

    @graph
    def continuation(self, state):
        return 1 / (1 + state)


class Copier(Counter):
    """The same world; painted from the frame before, an image is twice that and the state."""

    spec = image_spec((2, 2, 3), 5, (1,), copies=True)

    @graph
    def frame(self, state, before=None):
        alone = tf.cast(state, tf.uint8)[:, None, None, None] * tf.ones((1, 2, 2, 3), tf.uint8)
        return alone if before is None else 2 * before + alone


def image(*brightness: int) -> np.ndarray:
    """Images of one brightness each, uint8 (*shape, 2, 2, 3)."""
    return np.broadcast_to(np.array(brightness, np.uint8)[..., None, None, None], (len(brightness), 2, 2, 3)).copy()


def test_images_in_time_are_painted_one_after_the_other():
    states = tf.constant([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])
    painted = ModelView(Copier()).frame_sequence(states, image(10, 20))
    assert painted[..., 0, 0, 0].numpy().tolist() == [[21, 42], [45, 88], [95, 182]]
    assert ModelView(Copier()).frame_sequence(states)[..., 0, 0, 0].numpy().tolist() == [[1, 2], [3, 4], [5, 6]]
    whole = ModelView(Copier()).predict_sequence(states, before=image(10, 20))
    np.testing.assert_array_equal(whole.frame, painted)


def test_a_step_may_copy_from_the_frame_before():
    seed, state, action = np.zeros(2, np.int32), tf.constant([1.0, 3.0]), np.array([2, 0], np.int32)
    view = ModelView(Copier())
    after, prediction = view.step(state, action, np.float32(1), seed, image(5, 6))
    assert prediction.frame[:, 0, 0, 0].numpy().tolist() == [2 * 5 + 3, 2 * 6 + 3]
    assert view.frame(after)[:, 0, 0, 0].numpy().tolist() == [3, 3]


def test_seen_frames_are_painted_from_recorded_ones_but_not_across_episodes():
    frames = np.stack([image(10, 20, 30, 40), image(50, 60, 70, 80)])
    is_first = np.array([[False, False, False, False], [True, False, True, False]])
    observations = Observations(frames, np.zeros((2, 4), np.int32), is_first)
    painted = ModelView(Copier()).reconstruct(tf.ones((2, 4)), observations)
    assert painted[..., 0, 0, 0].numpy().tolist() == [[1, 21, 41, 61], [1, 101, 1, 141]]


def test_a_step_is_imagined_and_seen():
    model = Counter()
    model_view = ModelView(model)
    seed, state = np.zeros(2, np.int32), tf.constant([1.0, 3.0])
    for _ in range(3):
        after, prediction = model_view.step(state, np.array([2, 0], np.int32), np.float32(0.5), seed)
    assert model.traced == 1
    assert after.numpy().tolist() == [2, 3]
    assert prediction.frame.numpy()[:, 0, 0, 0].tolist() == [2, 3] and prediction.frame.shape == (2, 2, 2, 3)
    assert prediction.reward.numpy().tolist() == [20, 30]
    np.testing.assert_allclose(prediction.continuation, [1 / 3, 1 / 4])
    np.testing.assert_array_equal(model_view.predict(after).reward, prediction.reward)
    np.testing.assert_array_equal(model_view.frame(after), prediction.frame)
    assert model_view.spec is model.spec


def test_the_state_of_one_row_is_repeated_in_every_part():
    state = {"memory": (tf.constant([[1.0, 2.0]]), tf.constant([7])), "frame": np.array([[[3]]], np.uint8)}
    repeated = ModelView(Counter()).repeat(state, 3)
    assert repeated["memory"][0].numpy().tolist() == [[1, 2]] * 3
    assert repeated["memory"][1].numpy().tolist() == [7, 7, 7]
    assert repeated["frame"].numpy().tolist() == [[[3]]] * 3 and repeated["frame"].dtype == tf.uint8
