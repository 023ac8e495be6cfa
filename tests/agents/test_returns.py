from __future__ import annotations

import numpy as np
import pytest
import tensorflow as tf

from worldmodels.agents.returns import ReturnScale, lambda_returns, reach_weights


def column(*values: float) -> tf.Tensor:
    return tf.constant(values, tf.float32)[:, None]


@pytest.mark.parametrize(
    ("trace", "expected"),
    [
        # The reward of the start, 9, belongs to the past.
        (0.0, [1 + 0.5 * 10, 2 + 0.5 * 20]),
        (1.0, [1 + 0.5 * (2 + 0.5 * 20), 2 + 0.5 * 20]),
        (0.5, [1 + 0.5 * (0.5 * 10 + 0.5 * 12), 2 + 0.5 * 20]),
    ],
)
def test_lambda_returns_by_hand(trace, expected):
    returns = lambda_returns(column(9, 1, 2), column(5, 10, 20), column(0.5, 0.5, 0.5), trace)
    np.testing.assert_allclose(returns[:, 0], expected)


def test_nothing_counts_after_the_end():
    returns = lambda_returns(column(0, 1, 100), column(5, 50, 500), column(0.9, 0.0, 0.9), 0.95)
    assert float(returns[0, 0]) == 1.0


def test_lambda_returns_against_the_sum_over_all_lengths():
    """The definition: n-step returns, weighted by (1 - trace) trace^(n-1), with what is left over on the longest."""
    random, horizon, trace = np.random.default_rng(0), 6, 0.8
    rewards, values = random.normal(size=(2, horizon + 1))
    discounts = random.uniform(0.5, 1.0, horizon + 1)

    def n_step(t: int, n: int) -> float:
        total, weight = 0.0, 1.0
        for k in range(t + 1, t + n + 1):
            total += weight * rewards[k]
            weight *= discounts[k]
        return total + weight * values[t + n]

    for t, found in enumerate(lambda_returns(*(column(*x) for x in (rewards, values, discounts)), trace)[:, 0]):
        longest = horizon - t
        expected = sum((1 - trace) * trace ** (n - 1) * n_step(t, n) for n in range(1, longest))
        expected += trace ** (longest - 1) * n_step(t, longest)
        assert float(found) == pytest.approx(expected, abs=1e-5)


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
