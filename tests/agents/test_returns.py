from __future__ import annotations

import numpy as np
import pytest
import tensorflow as tf

from worldmodels.agents.api import Rollouts
from worldmodels.agents.returns import (
    ReturnScale,
    RewardScale,
    continuing_returns,
    discounted_sums,
    generalized_advantages,
    lambda_returns,
    reach_weights,
)


def column(*values: float) -> tf.Tensor:
    return tf.constant(values, tf.float32)[:, None]


@pytest.mark.parametrize(
    ("lambda_", "expected"),
    [
        # The reward of the start, 9, belongs to the past.
        (0.0, [1 + 0.5 * 10, 2 + 0.5 * 20]),
        (1.0, [1 + 0.5 * (2 + 0.5 * 20), 2 + 0.5 * 20]),
        (0.5, [1 + 0.5 * (0.5 * 10 + 0.5 * 12), 2 + 0.5 * 20]),
    ],
)
def test_lambda_returns_by_hand(lambda_, expected):
    returns = lambda_returns(column(9, 1, 2), column(5, 10, 20), column(0.5, 0.5, 0.5), lambda_)
    np.testing.assert_allclose(returns[:, 0], expected)


@pytest.mark.parametrize(
    ("continuations", "another"),
    [
        ([[1, 1], [1, 0]], 10),  # the other rollout is all that goes on
        ([[1, 1], [1, 0.5]], (10 + 0.5 * 20) / 1.5),
        ([[0, 1], [1, 0.5]], 20),  # what began after an end counts for nothing
        ([[1, 1], [0, 0]], 0),
    ],
)
def test_after_an_end_comes_the_mean_of_what_goes_on(continuations, another):
    continuations = tf.constant(continuations, tf.float32)
    rewards, values = tf.constant([[9.0, 9.0], [1.0, 2.0]]), tf.constant([[5.0, 5.0], [10.0, 20.0]])
    returns = continuing_returns(rewards, values, continuations, 0.5, 0.95)
    first, second = (float(c) for c in continuations[1])
    expected = [
        1 + 0.5 * (first * 10 + (1 - first) * another),
        2 + 0.5 * (second * 20 + (1 - second) * another),
    ]
    np.testing.assert_allclose(returns[0], expected, rtol=1e-6)


def test_what_follows_an_end_is_of_the_same_age():
    """The first rollout ends with its first step. Then it is worth the other's return from there, 3 + 0.5 * 30."""
    rewards, values = tf.constant([[0.0, 0], [1, 2], [100, 3]]), tf.constant([[0.0, 0], [10, 20], [100, 30]])
    continuations = tf.constant([[1.0, 1], [0, 1], [1, 1]])
    returns = continuing_returns(rewards, values, continuations, 0.5, 1.0)
    np.testing.assert_allclose(returns[0], [1 + 0.5 * 18, 2 + 0.5 * 18])


def test_with_the_same_pay_everywhere_ends_make_no_difference():
    random = np.random.default_rng(0)
    continuations = tf.constant(random.uniform(0, 1, (6, 4)), tf.float32)
    returns = continuing_returns(tf.ones((6, 4)), tf.fill((6, 4), 5.0), continuations, 0.8, 0.95)
    np.testing.assert_allclose(returns, np.full((5, 4), 5.0), rtol=1e-5)


def test_without_ends_continuing_returns_are_lambda_returns():
    rewards, values = np.random.default_rng(0).uniform(0, 1, (2, 6, 4)).astype(np.float32)
    returns = continuing_returns(*map(tf.constant, (rewards, values)), tf.ones((6, 4)), 0.9, 0.7)
    expected = lambda_returns(*map(tf.constant, (rewards, values)), tf.fill((6, 4), 0.9), 0.7)
    np.testing.assert_allclose(returns, expected, rtol=1e-6)


def test_nothing_counts_after_the_end():
    returns = lambda_returns(column(0, 1, 100), column(5, 50, 500), column(0.9, 0.0, 0.9), 0.95)
    assert float(returns[0, 0]) == 1.0


def test_lambda_returns_against_the_sum_over_all_lengths():
    """The definition: n-step returns, weighted by (1 - lambda) lambda^(n-1), with what is left over on the longest."""
    random, horizon, lambda_ = np.random.default_rng(0), 6, 0.8
    rewards, values = random.normal(size=(2, horizon + 1))
    discounts = random.uniform(0.5, 1.0, horizon + 1)

    def n_step(t: int, n: int) -> float:
        total, weight = 0.0, 1.0
        for k in range(t + 1, t + n + 1):
            total += weight * rewards[k]
            weight *= discounts[k]
        return total + weight * values[t + n]

    for t, found in enumerate(lambda_returns(*(column(*x) for x in (rewards, values, discounts)), lambda_)[:, 0]):
        longest = horizon - t
        expected = sum((1 - lambda_) * lambda_ ** (n - 1) * n_step(t, n) for n in range(1, longest))
        expected += lambda_ ** (longest - 1) * n_step(t, longest)
        assert float(found) == pytest.approx(expected, abs=1e-5)


NOWHERE = (False,) * 5


@pytest.mark.parametrize(
    ("discounts", "is_last", "expected"),
    [
        # Errors of the values are 1, -3, -7 and -11; each step sees a quarter of what follows.
        ((0.5,) * 5, NOWHERE, [-0.359375, -5.4375, -9.75, -11]),
        # The world ends at moment 2: its value of 30 counts nothing. The step that leads out of it is none.
        ((0.5, 0.5, 0, 0.5, 0.5), (False, False, True, False, False), [1 - 18 / 4, 2 - 20, 0, -11]),
        # Cut off at moment 2: its value stands for what would have come, and what did come is another episode's.
        ((0.5,) * 5, (False, False, True, False, False), [1 - 3 / 4, -3, 0, -11]),
        # In imagination an end is a probability.
        ((0.5, 0.5, 0.25, 0.5, 0.5), NOWHERE, [1 + 0.25 * -11.71875, -10.5 + 0.125 * -9.75, -9.75, -11]),
    ],
)
def test_generalized_advantages_by_hand(discounts, is_last, expected):
    rewards, values = column(9, 1, 2, 3, 4), column(10, 20, 30, 40, 50)
    advantages = generalized_advantages(rewards, values, column(*discounts), tf.constant(is_last)[:, None], 0.5)
    np.testing.assert_allclose(advantages[:, 0], expected)


def test_generalized_advantages_are_lambda_returns_without_the_value():
    random = np.random.default_rng(0)
    rewards, values, discounts = (tf.constant(random.uniform(size=(7, 2)), tf.float32) for _ in range(3))
    advantages = generalized_advantages(rewards, values, discounts, tf.zeros((7, 2), tf.bool), 0.8)
    np.testing.assert_allclose(
        advantages + values[:-1], lambda_returns(rewards, values, discounts, 0.8), rtol=1e-5, atol=1e-6
    )


def test_weights_follow_the_chance_to_be_still_there():
    np.testing.assert_allclose(reach_weights(column(1, 0.5, 1, 0), 0.9)[:, 0], [1, 0.45, 0.405, 0], rtol=1e-6)


def test_a_start_after_the_end_has_no_weight():
    assert not reach_weights(column(0, 1, 1), 0.9).numpy().any()


def test_return_scale_follows_the_range_between_percentiles():
    scale = ReturnScale()
    returns = tf.range(0.0, 1001.0)  # 5th to 95th percentile: 900
    assert float(scale.update(returns)) == pytest.approx(9.0)
    assert float(scale.update(returns)) == pytest.approx(9.0 + 0.01 * 891.0)


def test_small_ranges_are_left_alone():
    assert float(ReturnScale().update(tf.range(0.0, 10.0))) == 1.0


def test_rewards_are_divided_by_the_running_mean_of_their_size():
    scale = RewardScale()
    assert scale(tf.constant(3.0)) == 3.0  # 3 / (1 + 1e-8)
    scale.update(tf.constant([[-8.0, 0.0], [4.0, 0.0]]))  # a mean size of 3
    assert float(scale.mean) == pytest.approx(1.02)  # 0.99 * 1 + 0.01 * 3
    np.testing.assert_allclose(scale(tf.constant([1.02, -2.04])), [1.0, -2.0], rtol=1e-6)


def test_sums_of_rewards_begin_with_each_episode_and_hold_no_value():
    first = column(0, 0, 0, 1, 0)  # the last step of the old episode pays 4, and nothing is paid with the first one
    rewards, continuations = column(9, 2, 4, 0, 1), column(1, 1, 0, 1, 1)
    nothing = tf.zeros((5, 1))
    rollouts = Rollouts(nothing, nothing, rewards, continuations, tf.cast(first, tf.bool), nothing, {}, ())
    sums = discounted_sums(rollouts, tf.constant([8.0]), 0.5)
    assert sums[:, 0].numpy().tolist() == [8, 2 + 4, 4 + 3, 0, 1]
    begun = rollouts._replace(is_first=tf.constant([[True], *[[False]] * 4]))
    # Where nothing else tells of the end, a continuation of 0 begins a sum.
    assert discounted_sums(begun, tf.constant([8.0]), 0.5)[:, 0].numpy().tolist() == [0, 2, 4 + 1, 0, 1]
