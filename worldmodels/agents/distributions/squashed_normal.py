"""The squashed normal distribution, a = tanh(u) with u normal, of each number of a box. Pure functions.

Axes: D numbers of a box. Noise is standard normal, an argument; u = mean + std noise.
"""

from __future__ import annotations

import math

import numpy as np
import tensorflow as tf

from worldmodels.models.distributions import HALF_LOG_2_PI

LOG_STD_MIN, LOG_STD_MAX = -20.0, 2.0
"""Limits of the logarithm of the standard deviation of u."""
LARGEST_MEAN, MIN_STD = 5.0, 0.1
"""Limits of mean and standard deviation of u in DreamerV2."""
LARGEST_ACTION = 1.0 - 1e-6
"""Actions are kept so far from the bounds of the box where their u is asked for, which is infinite there."""
NODES, SHARES = np.polynomial.hermite_e.hermegauss(32)
SHARES = SHARES / SHARES.sum()
"""Points of a standard normal with their shares, whose sums are integrals (Gauss-Hermite quadrature)."""


def mean_and_log_std(outputs: tf.Tensor) -> tuple[tf.Tensor, tf.Tensor]:
    """Return mean and logarithm of the standard deviation of u (..., D) from a network's outputs (..., 2 D)."""
    mean, log_std = tf.split(outputs, 2, -1)
    return mean, tf.clip_by_value(log_std, LOG_STD_MIN, LOG_STD_MAX)


def bounded_mean_and_log_std(outputs: tf.Tensor) -> tuple[tf.Tensor, tf.Tensor]:
    """Return the same as DreamerV2's `tanh_normal`: a mean from -5 to 5, and a standard deviation above 0.1."""
    mean, std = tf.split(outputs, 2, -1)
    return LARGEST_MEAN * tf.tanh(mean / LARGEST_MEAN), tf.math.log(tf.nn.softplus(std) + MIN_STD)


def sample_squashed(mean: tf.Tensor, log_std: tf.Tensor, noise: tf.Tensor) -> tuple[tf.Tensor, tf.Tensor]:
    """Return actions (..., D) in [-1, 1], and the logarithms of their densities (...).

    log p(a) = sum_i log N(u_i) - log(1 - tanh(u_i)^2)
    """
    u = mean + tf.exp(log_std) * noise
    normal = -0.5 * tf.square(noise) - log_std - HALF_LOG_2_PI
    return tf.tanh(u), tf.reduce_sum(normal - _log_slope(u), -1)


def squashed_log_probability(mean: tf.Tensor, log_std: tf.Tensor, actions: tf.Tensor) -> tf.Tensor:
    """Return the logarithms of the densities of actions (..., D), (...)."""
    u = tf.atanh(tf.clip_by_value(actions, -LARGEST_ACTION, LARGEST_ACTION))
    return sample_squashed(mean, log_std, (u - mean) * tf.exp(-log_std))[1]


def squashed_entropy(mean: tf.Tensor, log_std: tf.Tensor) -> tf.Tensor:
    """Return the entropies in nats, (...): those of u, and the mean of the logarithm of the slope there.

    The mean is a sum over points, where DreamerV2 takes a hundred samples: it needs no noise.
    """
    u = mean[..., None] + tf.exp(log_std)[..., None] * NODES.astype(np.float32)
    slopes = tf.reduce_sum(SHARES.astype(np.float32) * _log_slope(u), -1)
    return tf.reduce_sum(log_std + HALF_LOG_2_PI + 0.5 + slopes, -1)


def _log_slope(u: tf.Tensor) -> tf.Tensor:
    """Return log(1 - tanh(u)^2), finite where the hyperbolic tangent rounds to 1."""
    return 2.0 * (math.log(2.0) - u - tf.nn.softplus(-2.0 * u))
