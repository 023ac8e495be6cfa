from __future__ import annotations

import numpy as np
import pytest
import tensorflow as tf

from worldmodels.models.config import HeadConfig
from worldmodels.models.rssm.objectives import ContinuationHead, RewardHead

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
