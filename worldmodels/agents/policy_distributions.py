"""The distribution of actions that a policy's parameters stand for: one for each kind of action."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import tensorflow as tf

from worldmodels.core.specs import ActionSpec
from worldmodels.models.distributions import (
    categorical_entropy,
    categorical_fisher,
    categorical_kl,
    categorical_log_probability,
    diagonal_gaussian_entropy,
    diagonal_gaussian_fisher,
    diagonal_gaussian_kl,
    diagonal_gaussian_log_probability,
    gumbel_noise,
    sample_categorical,
    sample_diagonal_gaussian,
)


class PolicyDistribution(NamedTuple):
    """The functions of a distribution of actions, given by parameters (..., P)."""

    extra: str
    """The name of the parameters among the extras of `Agent.act`."""
    sample: Callable[[tf.Tensor, tf.Tensor, float | tf.Tensor], tf.Tensor]
    """Parameters, a seed int32 (2,) and a temperature give actions; at temperature 0 those of the mode."""
    log_probability: Callable[[tf.Tensor, tf.Tensor], tf.Tensor]
    """Parameters and actions give the logarithm of the probability, or of its density, (...)."""
    entropy: Callable[[tf.Tensor], tf.Tensor]
    """Parameters give the entropy in nats, (...)."""
    kl: Callable[[tf.Tensor, tf.Tensor], tf.Tensor]
    """Parameters p and q give KL(p || q) in nats, (...)."""
    fisher: Callable[[tf.Tensor, tf.Tensor], tf.Tensor]
    """Parameters and a direction (..., P) give the Fisher information matrix times the direction, (..., P)."""


def policy_distribution(action: ActionSpec) -> PolicyDistribution:
    """Return the categorical distribution for discrete actions, and a diagonal Gaussian for a box.

    Samples of the Gaussian may lie outside of the box: whoever steps an environment clips them.
    """
    return CATEGORICAL if action.is_discrete else DIAGONAL_GAUSSIAN


def _categorical_sample(logits: tf.Tensor, seed: tf.Tensor, temperature: float | tf.Tensor) -> tf.Tensor:
    return sample_categorical(logits, gumbel_noise(tf.shape(logits), seed), temperature)


def _diagonal_gaussian_sample(parameters: tf.Tensor, seed: tf.Tensor, temperature: float | tf.Tensor) -> tf.Tensor:
    shape = tf.concat([tf.shape(parameters)[:-1], [parameters.shape[-1] // 2]], 0)
    sample = sample_diagonal_gaussian(parameters, tf.random.stateless_normal(shape, seed), temperature)
    return tf.ensure_shape(sample, (*parameters.shape[:-1], parameters.shape[-1] // 2))


CATEGORICAL = PolicyDistribution(
    "logits",
    _categorical_sample,
    categorical_log_probability,
    categorical_entropy,
    categorical_kl,
    categorical_fisher,
)
DIAGONAL_GAUSSIAN = PolicyDistribution(
    "gaussian",
    _diagonal_gaussian_sample,
    diagonal_gaussian_log_probability,
    diagonal_gaussian_entropy,
    diagonal_gaussian_kl,
    diagonal_gaussian_fisher,
)
