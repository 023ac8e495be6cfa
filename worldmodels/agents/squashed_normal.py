"""The squashed normal distribution, a = tanh(u) with u normal, of each number of a box. Pure functions.

Axes: D numbers of a box. Noise is standard normal, an argument; u = mean + std noise.
"""

from __future__ import annotations

import math

import tensorflow as tf

LOG_STD_MIN, LOG_STD_MAX = -20.0, 2.0
"""Limits of the logarithm of the standard deviation of u."""


def mean_and_log_std(outputs: tf.Tensor) -> tuple[tf.Tensor, tf.Tensor]:
    """Return mean and logarithm of the standard deviation of u (..., D) from a network's outputs (..., 2 D)."""
    mean, log_std = tf.split(outputs, 2, -1)
    return mean, tf.clip_by_value(log_std, LOG_STD_MIN, LOG_STD_MAX)


def sample_squashed(mean: tf.Tensor, log_std: tf.Tensor, noise: tf.Tensor) -> tuple[tf.Tensor, tf.Tensor]:
    """Return actions (..., D) in [-1, 1], and the logarithms of their densities (...).

        log p(a) = sum_i log N(u_i) - log(1 - tanh(u_i)^2),    log(1 - tanh(u)^2) = 2 (log 2 - u - softplus(-2 u))

    The right-hand side stays finite where the hyperbolic tangent rounds to 1.
    """
    u = mean + tf.exp(log_std) * noise
    normal = -0.5 * tf.square(noise) - log_std - 0.5 * math.log(2.0 * math.pi)
    slope = 2.0 * (math.log(2.0) - u - tf.nn.softplus(-2.0 * u))
    return tf.tanh(u), tf.reduce_sum(normal - slope, -1)
