from __future__ import annotations

import numpy as np
import pytest
import tensorflow as tf
from point import Point, PointState

from worldmodels.imagination.rollout import RolloutOptions, rollout, rollout_actions

SEED = tf.constant([1, 2])


def two_starts(starts):
    return type(starts)(tf.constant([[0.0], [-1.0]]))


def test_rollout_spelled_out(line, starts):
    def policy(features, memory, seed):
        """Right of 0 go left, else go right; the memory counts its calls."""
        return tf.cast(tf.argmax(features, -1) <= 3, tf.int32), memory + 1, {"calls": memory}

    memory = tf.constant([0, 10])
    trajectory = tf.function(lambda: rollout(line, policy, two_starts(starts), memory, RolloutOptions(3), SEED))()
    assert trajectory.states.position[:, :, 0].numpy().T.tolist() == [[0, 1, 0, 1], [-1, 0, 1, 0]]
    assert trajectory.actions.numpy().T.tolist() == [[1, 0, 1, 0], [1, 1, 0, 1]]
    assert trajectory.extras["calls"].numpy().T.tolist() == [[0, 1, 2, 3], [10, 11, 12, 13]]
    assert trajectory.rewards.numpy().T.tolist() == [[0, 1, 0, 1], [0, 0, 1, 0]]
    assert trajectory.continuations.numpy().tolist() == [[1, 1]] * 4
    np.testing.assert_array_equal(tf.argmax(trajectory.features, -1) - 3, trajectory.states.position[:, :, 0])


def test_every_step_has_noise_of_its_own(line, starts):
    def policy(features, memory, seed):
        return tf.random.stateless_uniform((2,), seed, 0, 2**30, tf.int32), memory, {}

    class Recorder(type(line)):
        def imagine(self, state, action, temperature, seed):
            return type(starts)(tf.random.stateless_uniform((2, 1), seed))

    run = tf.function(lambda: rollout(Recorder(), policy, two_starts(starts), (), RolloutOptions(4), SEED))
    trajectory = run()
    assert len(np.unique(trajectory.actions)) == 10
    assert len(np.unique(trajectory.states.position[1:])) == 8
    np.testing.assert_array_equal(trajectory.actions, run().actions)


def test_replayed_actions_lead_where_they_led(line, starts):
    states = tf.function(
        lambda: rollout_actions(line, two_starts(starts), tf.constant([[1, 0], [1, 1], [0, 0]]), 1.0, SEED)
    )()
    assert states.position[:, :, 0].numpy().T.tolist() == [[1, 2, 1], [-2, -1, -2]]


@pytest.mark.parametrize("gain", [0.3, 1.2])
def test_the_gradient_through_a_rollout_of_a_linear_policy_is_the_analytic_one(gain):
    """A push a = -k x moves a point to (1 - k / 2) x, so the sum of squares is x^2 sum_t (1 - k / 2)^(2 t)."""

    class Origin(Point):
        def reward(self, state):
            return -tf.square(state.x[:, 0])

    gain, start = tf.constant(gain), PointState(tf.constant([[2.0], [-1.0]]))

    @tf.function
    def differentiated():
        with tf.GradientTape() as tape:
            tape.watch(gain)
            trajectory = rollout(
                Origin(), lambda x, memory, seed: (-gain * x, memory, {}), start, (), RolloutOptions(4), SEED
            )
            total = tf.reduce_sum(trajectory.rewards)
        return tape.gradient(total, gain)

    factor = 1.0 - float(gain) / 2.0
    expected = sum(5.0 * t * factor ** (2 * t - 1) for t in range(1, 5))
    assert float(differentiated()) == pytest.approx(expected, rel=1e-4)
