from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest
import tensorflow as tf

from worldmodels.models.next_frame.config import SoftmaxOutputConfig
from worldmodels.models.next_frame.heads import ClassReward, HurdleReward, SymlogReward, event_nll
from worldmodels.models.next_frame.networks.network import Decoded
from worldmodels.models.next_frame.outputs import SoftmaxOutput


def test_reward_classes_are_signs_and_the_loss_has_a_cutoff():
    head = ClassReward(2, 3, np.random.default_rng(0))
    head.classes.assign(np.zeros((3, 3)))
    summary, reward = tf.ones((3, 2)), tf.constant([10.0, 0.0, -0.04])
    np.testing.assert_allclose(head.loss(summary, reward, 0.03), [np.log(3) - 0.03] * 3, rtol=1e-5)
    np.testing.assert_allclose(head.loss(summary, reward, 2.0), np.zeros(3))
    head.hidden.kernel.assign(np.ones((2, 3)))
    head.classes.assign([[0.0, 0.0, 1.0]] * 3)
    np.testing.assert_array_equal(head.reward(summary), [1.0, 1.0, 1.0])
    loss = head.loss(summary, reward, 0.0)
    assert float(loss[0]) < float(loss[1]) == pytest.approx(float(loss[2]))


def test_a_reward_that_is_no_number_is_not_taken_for_a_class():
    head = ClassReward(2, 3, np.random.default_rng(0))
    assert np.isnan(head.loss(tf.ones((1, 2)), tf.constant([np.nan]), 0.0)[0])


def test_symlog_rewards_come_back_in_their_own_units():
    head = SymlogReward(2, 3, np.random.default_rng(0))
    head.mean.bias.assign([np.log(11.0)])
    summary = tf.zeros((1, 2))
    np.testing.assert_allclose(head.reward(summary), [10.0], rtol=1e-5)
    np.testing.assert_allclose(head.loss(summary, tf.constant([0.0]), 0.01), [np.log(11.0) ** 2 / 2], rtol=1e-5)


def test_a_hurdle_reward_is_its_probability_times_its_size():
    head = HurdleReward(2, 3, 10.0, np.random.default_rng(0))
    summary = tf.zeros((3, 2))
    np.testing.assert_array_equal(head.reward(summary), [0.0] * 3)
    head.parts.bias.assign([-np.log(3.0), np.log(11.0)])
    np.testing.assert_allclose(head.reward(summary), [2.5] * 3, rtol=1e-5)
    # With ten times its weight a reward has odds of 10 to 3.
    nothing, ten, one = head.loss(summary, tf.constant([0.0, 10.0, 1.0]), 0.01).numpy()
    assert (nothing, ten) == (pytest.approx(-np.log(3 / 13)), pytest.approx(-10 * np.log(10 / 13)))
    assert one == pytest.approx(ten + 10 * np.log(11 / 2) ** 2 / 2)
    assert np.isnan(head.loss(summary[:1], tf.constant([np.nan]), 0.0)[0])


def test_the_weight_of_events_leaves_their_probability():
    """The least loss over moments of which one in ten is an event."""
    event, logits = np.float32([1] + [0] * 9), np.log(1 / np.arange(0.02, 0.2, 0.01, np.float32) - 1)
    for weight in (1.0, 20.0):
        likely = [tf.reduce_sum(event_nll(tf.fill((10,), -logit), event, weight)) for logit in logits]
        unlikely = [tf.reduce_sum(event_nll(tf.fill((10,), logit), 1 - event, weight, event=0.0)) for logit in logits]
        assert np.argmin(likely) == np.argmin(unlikely) == 8  # 0.02 + 8 x 0.01


def test_the_softmax_costs_what_is_above_the_cutoff_and_shows_its_best_values():
    network = SimpleNamespace(feature_shape=(2, 2, 5))
    output = SoftmaxOutput(SoftmaxOutputConfig(), network, (2, 2, 3), np.random.default_rng(0))
    output.dense.kernel.assign(np.zeros((5, 768)))
    bias = np.zeros((3, 256))
    bias[0, 7], bias[1, 250], bias[2, 0] = 50.0, 50.0, np.log(255.0)
    output.dense.bias.assign(bias.ravel())
    decoded = Decoded(tf.zeros((1, 2, 2, 5)), tf.zeros((1, 0)))
    frame = output.frame(decoded, tf.zeros((1, 2, 2, 3), tf.uint8))
    np.testing.assert_array_equal(frame, np.broadcast_to([7, 250, 0], (1, 2, 2, 3)))
    # Two channels are sure; the third gives its value one half, ln 2 nats.
    np.testing.assert_allclose(output.loss(decoded, frame, frame, 0.01), [(np.log(2) - 0.01) / 3], rtol=1e-4)
    assert output.loss(decoded, frame, frame, 1.0)[0] == 0.0
