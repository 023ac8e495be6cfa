"""Distributions of actions, by the parameters that a policy gives: one or more for each kind of action."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import tensorflow as tf

from worldmodels.agents.distributions.squashed_normal import (
    bounded_mean_and_log_std,
    sample_squashed,
    squashed_entropy,
    squashed_log_probability,
)
from worldmodels.agents.distributions.truncated_normal import (
    mean_and_std,
    sample_truncated,
    truncated_entropy,
    truncated_log_probability,
)
from worldmodels.core.specs import ActionSpec
from worldmodels.models import draws
from worldmodels.models.devices import draw_rows
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
    sample_one_hot,
)


@dataclass(frozen=True)
class ActionDistribution:
    """The functions of a distribution of actions, given by parameters (..., P)."""

    extra: str
    """The name of the parameters among the extras of `Agent.act`."""
    noise: Callable[[tf.Tensor, tf.Tensor], tf.Tensor]
    """Parameters and a seed int32 (2,) give all that is random in a draw, which does not depend on their values."""
    draw: Callable[[tf.Tensor, tf.Tensor, float | tf.Tensor], tf.Tensor]
    """Parameters, noise and a temperature give actions; at temperature 0 those of the mode."""
    log_probability: Callable[[tf.Tensor, tf.Tensor], tf.Tensor]
    """Parameters and actions give the logarithm of the probability, or of its density, (...)."""
    entropy: Callable[[tf.Tensor], tf.Tensor]
    """Parameters give the entropy in nats, (...)."""

    def sample(self, parameters: tf.Tensor, seed: tf.Tensor, temperature: float | tf.Tensor) -> tf.Tensor:
        """Draw actions with the noise of a seed, int32 (2,)."""
        return self.draw(parameters, self.noise(parameters, seed), temperature)


@dataclass(frozen=True)
class PolicyDistribution(ActionDistribution):
    """A distribution with what steps of a limited change need."""

    kl: Callable[[tf.Tensor, tf.Tensor], tf.Tensor]
    """Parameters p and q give KL(p || q) in nats, (...)."""
    fisher: Callable[[tf.Tensor, tf.Tensor], tf.Tensor]
    """Parameters and a direction (..., P) give the Fisher information matrix times the direction, (..., P)."""


def policy_distribution(action: ActionSpec) -> PolicyDistribution:
    """Return the categorical distribution for discrete actions, and a diagonal Gaussian for a box.

    Samples of the Gaussian may lie outside of the box: the caller clips them before an environment gets them.
    """
    return CATEGORICAL if action.is_discrete else DIAGONAL_GAUSSIAN


def _gumbel(logits: tf.Tensor, seed: tf.Tensor) -> tf.Tensor:
    return draw_rows(lambda shape: gumbel_noise(shape, seed), tf.shape(logits))


def _normal(parameters: tf.Tensor, seed: tf.Tensor) -> tf.Tensor:
    noise = draw_rows(lambda shape: draws.normal(shape, seed), _shape_in_box(parameters))
    return tf.ensure_shape(noise, (*parameters.shape[:-1], parameters.shape[-1] // 2))


def _uniform(parameters: tf.Tensor, seed: tf.Tensor) -> tf.Tensor:
    noise = draw_rows(lambda shape: draws.uniform(shape, seed), _shape_in_box(parameters))
    return tf.ensure_shape(noise, (*parameters.shape[:-1], parameters.shape[-1] // 2))


def _shape_in_box(parameters: tf.Tensor) -> tf.Tensor:
    return tf.concat([tf.shape(parameters)[:-1], [parameters.shape[-1] // 2]], 0)


def _one_hot_log_probability(logits: tf.Tensor, one_hot: tf.Tensor) -> tf.Tensor:
    return tf.reduce_sum(one_hot * tf.nn.log_softmax(logits), -1)


def _truncated_draw(parameters: tf.Tensor, noise: tf.Tensor, temperature: float | tf.Tensor) -> tf.Tensor:
    return sample_truncated(*mean_and_std(parameters), noise, temperature)


def _squashed_draw(parameters: tf.Tensor, noise: tf.Tensor, temperature: float | tf.Tensor) -> tf.Tensor:
    return sample_squashed(*bounded_mean_and_log_std(parameters), temperature * noise)[0]


CATEGORICAL = PolicyDistribution(
    "logits",
    _gumbel,
    sample_categorical,
    categorical_log_probability,
    categorical_entropy,
    categorical_kl,
    categorical_fisher,
)
ONE_HOT = ActionDistribution("logits", _gumbel, sample_one_hot, _one_hot_log_probability, categorical_entropy)
"""The categorical distribution with one-hot vectors as actions, whose gradient is that of the probabilities."""
DIAGONAL_GAUSSIAN = PolicyDistribution(
    "gaussian",
    _normal,
    sample_diagonal_gaussian,
    diagonal_gaussian_log_probability,
    diagonal_gaussian_entropy,
    diagonal_gaussian_kl,
    diagonal_gaussian_fisher,
)
TRUNCATED_NORMAL = ActionDistribution(
    "truncated_normal",
    _uniform,
    _truncated_draw,
    lambda parameters, actions: truncated_log_probability(*mean_and_std(parameters), actions),
    lambda parameters: truncated_entropy(*mean_and_std(parameters)),
)
SQUASHED_NORMAL = ActionDistribution(
    "squashed_normal",
    _normal,
    _squashed_draw,
    lambda parameters, actions: squashed_log_probability(*bounded_mean_and_log_std(parameters), actions),
    lambda parameters: squashed_entropy(*bounded_mean_and_log_std(parameters)),
)
BOX_DISTRIBUTIONS = {"truncated_normal": TRUNCATED_NORMAL, "tanh_normal": SQUASHED_NORMAL}
"""Distributions in a box whose samples never leave it, and depend on the parameters smoothly."""
