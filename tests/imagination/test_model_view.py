"""What a model view gives in one call is what the model says in four."""

from __future__ import annotations

import numpy as np
import tensorflow as tf

from worldmodels.imagination.model_view import ModelView
from worldmodels.models.graph import graph


class Counter:
    """A world whose state is a number: actions add to it, and everything that is said of it follows from it."""

    spec = "a spec"
    traced = 0

    @graph
    def imagine(self, state, action, temperature, seed):
        self.traced += 1
        return state + tf.cast(action, tf.float32) * temperature

    @graph
    def frame(self, state):
        return tf.cast(state, tf.uint8)[:, None, None, None] * tf.ones((1, 2, 2, 3), tf.uint8)

    @graph
    def reward(self, state):
        return 10 * state

    @graph
    def continuation(self, state):
        return 1 / (1 + state)


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
    assert model_view.spec == "a spec"


def test_the_state_of_one_row_is_repeated_in_every_part():
    state = {"memory": (tf.constant([[1.0, 2.0]]), tf.constant([7])), "frame": np.array([[[3]]], np.uint8)}
    repeated = ModelView(Counter()).repeat(state, 3)
    assert repeated["memory"][0].numpy().tolist() == [[1, 2]] * 3
    assert repeated["memory"][1].numpy().tolist() == [7, 7, 7]
    assert repeated["frame"].numpy().tolist() == [[[3]]] * 3 and repeated["frame"].dtype == tf.uint8
