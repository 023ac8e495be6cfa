from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest
import tensorflow as tf

from worldmodels.models.next_frame.config import SoftmaxOutputConfig
from worldmodels.models.next_frame.heads import ClassReward, SymlogReward
from worldmodels.models.next_frame.network import Decoded
from worldmodels.models.next_frame.softmax_output import SoftmaxOutput


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
