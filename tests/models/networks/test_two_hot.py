from __future__ import annotations

import numpy as np
import pytest
import tensorflow as tf

from worldmodels.models.distributions import BINS, VALUES, two_hot_mean, two_hot_nll


def test_values_are_symmetric_ascending_and_the_exponentials_of_a_grid() -> None:
    assert VALUES.shape == (255,) and VALUES[127] == 0
    assert (np.diff(VALUES) > 0).all()
    np.testing.assert_array_equal(VALUES, -VALUES[::-1])
    # The grid from -20 to 20 has steps of 40 / 254.
    assert VALUES[128] == pytest.approx(np.expm1(40 / 254), rel=1e-6)
    assert VALUES[-1] == pytest.approx(np.expm1(20), rel=1e-6)


def test_what_is_undecided_means_exactly_nothing() -> None:
    assert two_hot_mean(tf.zeros((2, 3, BINS))).numpy().tolist() == [[0, 0, 0]] * 2
    one = tf.one_hot([5, 200], BINS) * 1e4
    np.testing.assert_allclose(two_hot_mean(one), VALUES[[5, 200]], rtol=1e-6)


@pytest.mark.parametrize("target", [0.0, 1.0, -0.3, 10.0, -1234.5, 4e8])
def test_the_distribution_that_costs_least_means_the_target(target: float) -> None:
    high = int(np.searchsorted(VALUES, target))
    share = (target - VALUES[high - 1]) / (VALUES[high] - VALUES[high - 1])
    weights = np.zeros((1, BINS), np.float32)
    weights[0, high - 1 : high + 1] = 1 - share, share
    logits = tf.Variable(np.log(np.maximum(weights, 1e-30)))
    with tf.GradientTape() as tape:
        loss = two_hot_nll(logits, tf.constant([target]))
    assert np.abs(tape.gradient(loss, logits)).max() < 1e-5
    assert float(two_hot_mean(logits)[0]) == pytest.approx(target, rel=1e-4, abs=1e-6)


def test_a_number_between_two_values_is_spread_over_both_by_hand() -> None:
    a, b = VALUES[130], VALUES[131]
    logits = tf.math.log(tf.constant([[1e-30] * 130 + [0.25, 0.75] + [1e-30] * 123]))
    loss = two_hot_nll(logits, tf.constant([0.75 * a + 0.25 * b]))
    assert float(loss[0]) == pytest.approx(-(0.75 * np.log(0.25) + 0.25 * np.log(0.75)), rel=1e-4)
    # Beyond the ends is as the end.
    far = tf.constant([1e12, -1e12])
    np.testing.assert_allclose(two_hot_nll(tf.zeros((2, BINS)), far), [np.log(255)] * 2, rtol=1e-5)


def test_the_slope_of_the_mean_is_the_probability_times_the_distance_from_the_mean() -> None:
    logits = np.full((2, BINS), -1e4, np.float32)
    # Classes of the values 0 and v, with probabilities 0.75 and 0.25: the mean is 0.25 v.
    logits[0, [127, 140]] = np.log([0.75, 0.25])
    logits[1, 127] = 0.0  # decided, so that nothing moves it
    watched, v = tf.constant(logits), float(VALUES[140])
    with tf.GradientTape() as tape:
        tape.watch(watched)
        worth = tf.reduce_sum(tf.constant([2.0, 1.0]) * two_hot_mean(watched))
    slopes = tape.gradient(worth, watched).numpy()
    by_hand = np.zeros((2, BINS))
    by_hand[0, 127], by_hand[0, 140] = 2 * 0.75 * (0 - 0.25 * v), 2 * 0.25 * (v - 0.25 * v)
    np.testing.assert_allclose(slopes, by_hand, rtol=1e-5)
