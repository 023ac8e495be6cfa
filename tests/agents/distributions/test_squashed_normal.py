"""The squashed normal distribution, beside TensorFlow Probability's."""

from __future__ import annotations

import numpy as np
import tensorflow as tf
import tensorflow_probability as tfp

from worldmodels.agents.distributions.squashed_normal import (
    bounded_mean_and_log_std,
    mean_and_log_std,
    sample_squashed,
    squashed_entropy,
    squashed_log_probability,
)


def test_log_densities_are_those_of_a_transformed_distribution():
    mean = np.array([[0.0, 1.0], [-0.5, 0.3]], np.float32)
    log_std = np.array([[0.0, -1.0], [0.5, -2.0]], np.float32)
    noise = np.array([[0.2, -1.0], [1.5, 0.0]], np.float32)
    actions, log_probability = sample_squashed(mean, log_std, noise)
    normal = tfp.distributions.Normal(mean, np.exp(log_std))
    squashed = tfp.distributions.TransformedDistribution(normal, tfp.bijectors.Tanh())
    np.testing.assert_allclose(actions, np.tanh(mean + np.exp(log_std) * noise), rtol=1e-6)
    np.testing.assert_allclose(log_probability, tf.reduce_sum(squashed.log_prob(actions), -1), rtol=1e-4)


def test_a_density_at_the_middle_is_that_of_the_normal():
    # u = 0: the hyperbolic tangent has slope 1 there, and the density is 1 / sqrt(2 pi) = 0.3989.
    _, log_probability = sample_squashed(tf.zeros((1, 1)), tf.zeros((1, 1)), tf.zeros((1, 1)))
    np.testing.assert_allclose(np.exp(log_probability), [0.39894], rtol=1e-4)


def test_densities_and_gradients_stay_finite_where_the_action_rounds_to_1():
    mean = tf.constant([[30.0], [-30.0]])
    with tf.GradientTape() as tape:
        tape.watch(mean)
        actions, log_probability = sample_squashed(mean, tf.zeros((2, 1)), tf.ones((2, 1)))
    assert actions.numpy().tolist() == [[1.0], [-1.0]]
    assert np.isfinite(log_probability).all()
    # log (1 - tanh(u)^2) is 2 (log 2 - |u|) there, so the log-density grows by 2 with |u|.
    np.testing.assert_allclose(tape.gradient(log_probability, mean), [[2.0], [-2.0]], atol=1e-5)


def test_the_standard_deviation_has_limits():
    mean, log_std = mean_and_log_std(tf.constant([[1.0, 2.0, -30.0, 3.0]]))
    assert mean.numpy().tolist() == [[1.0, 2.0]] and log_std.numpy().tolist() == [[-20.0, 2.0]]


def test_limits_of_dreamer_v2():
    mean, log_std = bounded_mean_and_log_std(tf.constant([[0.0, 1000.0, 0.0, -1000.0]]))
    np.testing.assert_allclose(mean, [[0.0, 5.0]])
    # softplus(0) is log 2.
    np.testing.assert_allclose(tf.exp(log_std), [[np.log(2.0) + 0.1, 0.1]], rtol=1e-6)


def test_an_action_has_the_density_with_which_it_was_drawn():
    mean, log_std = tf.constant([[0.0, 1.0], [-0.5, 0.3]]), tf.constant([[0.0, -1.0], [0.5, -2.0]])
    actions, expected = sample_squashed(mean, log_std, tf.constant([[0.2, -1.0], [1.5, 0.0]]))
    np.testing.assert_allclose(squashed_log_probability(mean, log_std, actions), expected, rtol=1e-4)


def test_an_action_at_a_bound_has_a_finite_density_and_gradient():
    mean = tf.constant([[0.0], [5.0]])
    with tf.GradientTape() as tape:
        tape.watch(mean)
        found = squashed_log_probability(mean, tf.zeros((2, 1)), tf.constant([[1.0], [-1.0]]))
    assert np.isfinite(found).all() and np.isfinite(tape.gradient(found, mean)).all()


def test_entropies_are_the_mean_of_minus_the_log_density():
    mean, log_std = tf.constant([[0.0, 5.0], [-0.5, 0.3]]), tf.constant([[0.0, -1.0], [1.2, -2.0]])
    _, log_probability = sample_squashed(mean, log_std, tf.random.stateless_normal((100_000, 2, 2), (1, 2)))
    np.testing.assert_allclose(squashed_entropy(mean, log_std), -tf.reduce_mean(log_probability, 0), atol=0.03)
