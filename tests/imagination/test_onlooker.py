"""What an onlooker gives in one call is what the model says in four."""

from __future__ import annotations

import numpy as np
import tensorflow as tf

from worldmodels.imagination.onlooker import Onlooker
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
    onlooker = Onlooker(model)
    seed, state = np.zeros(2, np.int32), tf.constant([1.0, 3.0])
    for _ in range(3):
        after, sight = onlooker.imagine(state, np.array([2, 0], np.int32), np.float32(0.5), seed)
    assert model.traced == 1
    assert after.numpy().tolist() == [2, 3]
    assert sight.frame.numpy()[:, 0, 0, 0].tolist() == [2, 3] and sight.frame.shape == (2, 2, 2, 3)
    assert sight.reward.numpy().tolist() == [20, 30]
    np.testing.assert_allclose(sight.continuation, [1 / 3, 1 / 4])
    np.testing.assert_array_equal(onlooker.look(after).reward, sight.reward)
    np.testing.assert_array_equal(onlooker.frame(after), sight.frame)
    assert onlooker.spec == "a spec"
