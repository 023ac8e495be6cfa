"""The normal distribution of each number of a box, truncated to [-1, 1]. Pure functions.

Axes: D numbers of a box. Noise is uniform in [0, 1), an argument; a sample is where the distribution function has it.
The mean that is meant is that of the normal before it is truncated: the mode, which lies inside of the box.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import tensorflow as tf

from worldmodels.models.distributions import HALF_LOG_2_PI
from worldmodels.models.graph import is_portable

MIN_STD = 0.1
LARGEST_SHARE = 1.0 - 1e-7
"""Shares of the normal's mass are kept apart from 0 and from 1, where its quantiles are infinite."""


def mean_and_std(outputs: tf.Tensor) -> tuple[tf.Tensor, tf.Tensor]:
    """Return mean, in [-1, 1], and standard deviation, 0.1 to 2.1, (..., D) from a network's outputs (..., 2 D).

    DreamerV2's, with an initial standard deviation of 1.1 where outputs are 0 at first.
    """
    mean, std = tf.split(outputs, 2, -1)
    return tf.tanh(mean), 2.0 * tf.sigmoid(0.5 * std) + MIN_STD


def sample_truncated(
    mean: tf.Tensor, std: tf.Tensor, noise: tf.Tensor, temperature: float | tf.Tensor = 1.0
) -> tf.Tensor:
    """Return actions (..., D) in [-1, 1], through which gradients flow to mean and standard deviation."""
    below, above = _shares(mean, std)
    share = tf.clip_by_value(below + noise * (above - below), 1.0 - LARGEST_SHARE, LARGEST_SHARE)
    return tf.clip_by_value(mean + temperature * std * _quantile(share), -1.0, 1.0)


def truncated_log_probability(mean: tf.Tensor, std: tf.Tensor, actions: tf.Tensor) -> tf.Tensor:
    """Return the logarithms of the densities of actions (..., D) in [-1, 1], (...)."""
    below, above = _shares(mean, std)
    normal = -0.5 * tf.square((actions - mean) / std) - tf.math.log(std) - HALF_LOG_2_PI
    return tf.reduce_sum(normal - tf.math.log(above - below), -1)


def truncated_entropy(mean: tf.Tensor, std: tf.Tensor) -> tf.Tensor:
    """Return the entropies in nats, (...).

        log(std Z) + (1 + log 2 pi) / 2 + (a phi(a) - b phi(b)) / (2 Z)

    with the bounds a and b in units of the standard deviation from the mean, and Z the normal's mass between them.
    """
    below, above = _shares(mean, std)
    mass, (low, high) = above - below, _bounds(mean, std)
    edges = (low * _density(low) - high * _density(high)) / (2.0 * mass)
    return tf.reduce_sum(tf.math.log(std * mass) + HALF_LOG_2_PI + 0.5 + edges, -1)


def _bounds(mean: tf.Tensor, std: tf.Tensor) -> tuple[tf.Tensor, tf.Tensor]:
    return (-1.0 - mean) / std, (1.0 - mean) / std


def _shares(mean: tf.Tensor, std: tf.Tensor) -> tuple[tf.Tensor, tf.Tensor]:
    """Return the normal's mass below -1, at most 0.5, and that below 1, at least 0.5."""
    low, high = _bounds(mean, std)
    return 0.5 * tf.math.erfc(-low / math.sqrt(2.0)), 0.5 * tf.math.erfc(-high / math.sqrt(2.0))


def _quantile(share: tf.Tensor) -> tf.Tensor:
    """Return the number below which a standard normal distribution has a share of its mass."""
    if not is_portable():
        return tf.math.ndtri(share)
    # Giles (2012), "Approximating the erfinv function", in single precision.
    w = -tf.math.log(4.0 * share * (1.0 - share))
    middle, tails = _polynomial(w - 2.5, _MIDDLE), _polynomial(tf.sqrt(tf.maximum(w, 5.0)) - 3.0, _TAILS)
    return math.sqrt(2.0) * (2.0 * share - 1.0) * tf.where(w < 5.0, middle, tails)


def _polynomial(x: tf.Tensor, terms: Sequence[float]) -> tf.Tensor:
    """Return a polynomial of x by Horner's rule; the highest power comes first."""
    total = tf.zeros_like(x)
    for term in terms:
        total = total * x + term
    return total


_MIDDLE = (
    *(2.81022636e-08, 3.43273939e-07, -3.5233877e-06, -4.39150654e-06, 0.00021858087),
    *(-0.00125372503, -0.00417768164, 0.246640727, 1.50140941),
)
_TAILS = (
    *(-0.000200214257, 0.000100950558, 0.00134934322, -0.00367342844, 0.00573950773),
    *(-0.0076224613, 0.00943887047, 1.00167406, 2.83297682),
)


def _density(x: tf.Tensor) -> tf.Tensor:
    return tf.exp(-0.5 * tf.square(x) - HALF_LOG_2_PI)
