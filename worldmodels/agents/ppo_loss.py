"""PPO's loss (Schulman et al. 2017). Pure functions."""

from __future__ import annotations

from typing import NamedTuple

import tensorflow as tf

from worldmodels.agents.ppo_config import PPOConfig
from worldmodels.agents.ppo_samples import Samples, normalize, weighted_mean
from worldmodels.models.distributions import categorical_entropy, categorical_log_probability


class ClipRanges(NamedTuple):
    """The ranges in which policy and value may change; both may shrink while a run goes on."""

    policy: tf.Tensor
    value: tf.Tensor


def ppo_loss(
    logits: tf.Tensor, values: tf.Tensor, batch: Samples, clip_ranges: ClipRanges, config: PPOConfig
) -> tuple[tf.Tensor, dict[str, tf.Tensor]]:
    """Return the loss of a minibatch, a scalar, and figures to report.

    Args:
        logits: (..., actions), of the network as it is now.
        values: (...).
    """
    advantages = batch.advantages
    if config.normalize_advantages == "minibatch":
        advantages = normalize(advantages, batch.weights, config.advantage_floor)
    change = categorical_log_probability(logits, batch.actions) - batch.log_probability
    ratio = tf.exp(change)
    policy_loss = weighted_mean(clipped_surrogate(ratio, advantages, clip_ranges.policy), batch.weights)
    value_loss = weighted_mean(
        squared_error(values, batch, clip_ranges.value if config.value_clip else None), batch.weights
    )
    entropy = weighted_mean(categorical_entropy(logits), batch.weights)
    loss = policy_loss + config.value_scale * value_loss - config.entropy * entropy
    clipped = tf.cast(tf.abs(ratio - 1.0) > clip_ranges.policy, tf.float32)
    figures = {
        "policy_loss": policy_loss,
        "value_loss": value_loss,
        "entropy": entropy,
        # Schulman's estimate: never negative, and of small variance.
        "approximate_kl": weighted_mean(ratio - 1.0 - change, batch.weights),
        "clip_fraction": weighted_mean(clipped, batch.weights),
    }
    return loss, figures


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


def explained_variance(samples: Samples) -> tf.Tensor:
    """Return the share of the returns' variance that the values explain: 1 all, 0 none, negative worse than none."""
    unknown = samples.returns - samples.values
    return 1.0 - tf.math.divide_no_nan(_variance(unknown, samples.weights), _variance(samples.returns, samples.weights))


def _variance(x: tf.Tensor, weights: tf.Tensor) -> tf.Tensor:
    return weighted_mean(tf.square(x - weighted_mean(x, weights)), weights)
