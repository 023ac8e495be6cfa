"""PPO's losses (Schulman et al. 2017). Pure functions."""

from __future__ import annotations

import tensorflow as tf

from worldmodels.agents.distributions.policy_distributions import PolicyDistribution
from worldmodels.agents.on_policy.config import PPOConfig
from worldmodels.agents.on_policy.samples import Samples, normalize, weighted_mean


def policy_loss(
    parameters: tf.Tensor,
    batch: Samples,
    limit: float | tf.Tensor,
    distribution: PolicyDistribution,
    config: PPOConfig,
) -> tuple[tf.Tensor, dict[str, tf.Tensor]]:
    """Return the loss of the policy over a minibatch, a scalar, and figures to report.

    Args:
        parameters: (..., P), of the policy as it is now.
        limit: the range in which the ratio of probabilities may change; it may shrink while a run goes on.
    """
    advantages = batch.advantages
    if config.normalize_advantages == "minibatch":
        advantages = normalize(advantages, batch.weights)
    change = distribution.log_probability(parameters, batch.actions) - batch.log_probability
    ratio = tf.exp(change)
    surrogate = weighted_mean(clipped_surrogate(ratio, advantages, limit), batch.weights)
    entropy = weighted_mean(distribution.entropy(parameters), batch.weights)
    clipped = tf.cast(tf.abs(ratio - 1.0) > limit, tf.float32)
    figures = {
        "policy_loss": surrogate,
        "entropy": entropy,
        # Schulman's estimate: never negative, and of small variance.
        "approximate_kl": weighted_mean(ratio - 1.0 - change, batch.weights),
        "clip_fraction": weighted_mean(clipped, batch.weights),
    }
    scale = weighted_mean(batch.policy_scale, batch.weights)
    return scale * (surrogate - config.entropy * entropy), figures


def value_loss(values: tf.Tensor, batch: Samples, limit: tf.Tensor | None) -> tf.Tensor:
    """Return the mean squared error of the values (...) of a minibatch, a scalar; `limit` as in `squared_error`."""
    return weighted_mean(squared_error(values, batch, limit), batch.weights)


def clipped_surrogate(ratio: tf.Tensor, advantages: tf.Tensor, limit: float | tf.Tensor) -> tf.Tensor:
    """Return the pessimistic loss of each sample: no gain from going beyond [1 - limit, 1 + limit]."""
    return -tf.minimum(ratio * advantages, tf.clip_by_value(ratio, 1.0 - limit, 1.0 + limit) * advantages)


def squared_error(values: tf.Tensor, batch: Samples, limit: tf.Tensor | None) -> tf.Tensor:
    """Return the squared error of each value; with a limit, the larger of it and that of a clipped value."""
    error = tf.math.squared_difference(values, batch.returns)
    if limit is None:
        return error
    held = batch.values + tf.clip_by_value(values - batch.values, -limit, limit)
    return tf.maximum(error, tf.math.squared_difference(held, batch.returns))
