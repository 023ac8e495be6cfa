from __future__ import annotations

import numpy as np
import pytest
import tensorflow as tf

from worldmodels.models.config import HeadConfig, OptimizerConfig
from worldmodels.models.optimizers import Optimizer
from worldmodels.models.rssm.objectives import ContinuationHead, RewardHead, TwoHotRewardHead
from worldmodels.models.variables import named_variables

ROWS = tf.ones((3, 4))


def random() -> np.random.Generator:
    return np.random.default_rng(5)


@pytest.mark.parametrize("transform", ["none", "tanh", "symlog"])
def test_reward_is_squashed_and_back(transform):
    head = RewardHead(HeadConfig(1, 8), 4, transform, random())
    rewards = tf.constant([-1.0, 0.0, 2.5])
    np.testing.assert_allclose(head.unsquash(head.squash(rewards)), rewards, atol=1e-4)
    assert head.reward(ROWS).numpy().tolist() == [0.0, 0.0, 0.0]


def test_reward_loss_is_taken_on_the_squashed_reward():
    head = RewardHead(HeadConfig(1, 8), 4, "symlog", random())
    loss = head.loss(ROWS, tf.constant([0.0, np.e - 1, 0.0]))
    np.testing.assert_allclose(loss, [0.0, 0.5, 0.0], rtol=1e-5)


def test_continuation_starts_undecided():
    head = ContinuationHead(HeadConfig(1, 8), 4, random())
    assert head.probability(ROWS).numpy().tolist() == [0.5, 0.5, 0.5]
    np.testing.assert_allclose(head.loss(ROWS, tf.constant([0.0, 0.5, 1.0])), 3 * [np.log(2)], rtol=1e-6)


@pytest.mark.parametrize("transform", ["none", "tanh"])
def test_a_two_hot_head_expects_nothing_at_first_and_learns_two_outcomes(transform):
    head = TwoHotRewardHead(HeadConfig(0, 8), 4, transform, random())
    assert head.reward(ROWS).numpy().tolist() == [0.0, 0.0, 0.0]
    np.testing.assert_allclose(head.loss(ROWS, tf.constant([0.0, 1.0, 3.0])), [np.log(255)] * 3, rtol=1e-5)
    paid, optimizer = (
        tf.constant([0.0, 0.0, 1.0]),
        Optimizer(named_variables([head]), OptimizerConfig(learning_rate=0.1)),
    )
    for _ in range(200):
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(head.loss(ROWS, paid))
        optimizer.minimize(tape, loss)
    # One of three equal rows is paid 1: a third of it is expected, and of its tanh where that is learned.
    expected = {"none": 1 / 3, "tanh": np.arctanh(np.tanh(1) / 3)}[transform]
    assert float(head.reward(ROWS)[0]) == pytest.approx(expected, abs=0.02)
