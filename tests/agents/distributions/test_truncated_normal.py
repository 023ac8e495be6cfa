"""The truncated normal distribution, by hand and beside TensorFlow Probability's."""

from __future__ import annotations

import math

import numpy as np
import pytest
import tensorflow as tf
import tensorflow_probability as tfp

from worldmodels.agents.distributions.truncated_normal import (
    _quantile,
    mean_and_std,
    sample_truncated,
    truncated_entropy,
    truncated_log_probability,
)
from worldmodels.models.graph import portable

MEAN = tf.constant([[0.0, 0.9], [-0.5, 0.3], [1.0, -1.0]])
STD = tf.constant([[1.0, 0.1], [0.5, 2.1], [0.1, 0.4]])
THEIRS = tfp.distributions.TruncatedNormal(MEAN, STD, -1.0, 1.0)


def test_a_network_whose_output_is_0_has_mean_0_and_deviation_1_1():
    mean, std = mean_and_std(tf.constant([[0.0, 100.0, 0.0, -100.0]]))
    assert mean.numpy().tolist() == [[0.0, 1.0]]
    np.testing.assert_allclose(std, [[1.1, 0.1]], rtol=1e-6)


def test_quantiles_by_hand():
    # A standard normal has 0.1587 of its mass below -1 and as much above 1; 0.25 of what is between lies below the
    # point with 0.1587 + 0.25 * 0.6827 = 0.3293, which is -0.4418.
    drawn = sample_truncated(tf.zeros((1, 3)), tf.ones((1, 3)), tf.constant([[0.0, 0.25, 0.5]]))
    np.testing.assert_allclose(drawn, [[-1.0, -0.4418, 0.0]], atol=1e-4)


def test_densities_by_hand():
    # 0.3989 / 0.6827 in the middle of the box, and 0.2420 / 0.6827 at its edge.
    found = [truncated_log_probability(tf.zeros((1, 1)), tf.ones((1, 1)), tf.constant([[a]]))[0] for a in (0.0, 1.0)]
    np.testing.assert_allclose(np.exp(found), [0.58437, 0.35443], rtol=1e-4)


def test_log_densities_and_entropies_are_those_of_tensorflow_probability():
    actions = tf.constant([[0.5, 1.0], [-1.0, 0.0], [0.8, -0.9]])
    found = truncated_log_probability(MEAN, STD, actions)
    np.testing.assert_allclose(found, tf.reduce_sum(THEIRS.log_prob(actions), -1), rtol=1e-4)
    np.testing.assert_allclose(truncated_entropy(MEAN, STD), tf.reduce_sum(THEIRS.entropy(), -1), rtol=1e-4)


def test_samples_have_mean_and_deviation_and_stay_in_the_box():
    noise = tf.random.stateless_uniform((50_000, 3, 2), (1, 2))
    drawn = sample_truncated(MEAN, STD, noise).numpy()
    assert np.abs(drawn).max() <= 1.0
    np.testing.assert_allclose(drawn.mean(0), THEIRS.mean(), atol=0.01)
    np.testing.assert_allclose(drawn.std(0), THEIRS.stddev(), rtol=0.01)


def test_gradients_of_a_sample_are_those_of_the_quantile():
    """With share u of the mass: da/dmean = 1 - ((1 - u) phi(low) + u phi(high)) / phi(z), and likewise by std."""
    mean, std, noise = tf.constant([[0.3]]), tf.constant([[0.6]]), tf.constant([[0.7]])
    with tf.GradientTape() as tape:
        tape.watch((mean, std))
        action = sample_truncated(mean, std, noise)
    by_mean, by_std = (float(x[0, 0]) for x in tape.gradient(action, (mean, std)))
    z, low, high = (float(action[0, 0]) - 0.3) / 0.6, -1.3 / 0.6, 0.7 / 0.6
    density = [math.exp(-0.5 * x * x) for x in (z, low, high)]
    assert by_mean == pytest.approx(1.0 - (0.3 * density[1] + 0.7 * density[2]) / density[0], rel=1e-4)
    assert by_std == pytest.approx(z - (0.3 * low * density[1] + 0.7 * high * density[2]) / density[0], rel=1e-4)


@pytest.mark.parametrize("noise", [0.0, 1.0 - 2.0**-24])
@pytest.mark.parametrize("mean", [-1.0, 0.0, 1.0])
@pytest.mark.parametrize("std", [0.1, 2.1])
def test_values_and_gradients_stay_finite_at_every_limit(mean, std, noise):
    mean, std = tf.constant([[mean]]), tf.constant([[std]])
    with tf.GradientTape(persistent=True) as tape:
        tape.watch((mean, std))
        action = sample_truncated(mean, std, tf.constant([[noise]]))
        figures = action, truncated_log_probability(mean, std, action), truncated_entropy(mean, std)
    gradients = [tape.gradient(figure, (mean, std)) for figure in figures]
    assert all(np.isfinite(value).all() for value in tf.nest.flatten((figures, gradients)))


def test_temperature_0_is_the_mode():
    np.testing.assert_array_equal(sample_truncated(MEAN, STD, tf.fill((3, 2), 0.9), 0.0), MEAN)


def test_a_portable_quantile_is_tensorflows():
    shares = tf.constant([1e-7, 0.001, 0.02275013, 0.25, 0.5, 0.84134475, 1.0 - 1e-6])  # two of them are -2 and 1
    with portable():
        found = _quantile(shares)
    np.testing.assert_allclose(found, tf.math.ndtri(shares), atol=2e-6)
    np.testing.assert_allclose(tf.gather(found, [2, 4, 5]), [-2.0, 0.0, 1.0], atol=1e-5)
