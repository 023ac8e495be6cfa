"""Samples of an on-policy agent, steps with advantages and returns, and the optimiser steps on them as one graph."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import tensorflow as tf

from worldmodels.agents.api import Rollouts
from worldmodels.agents.distributions.policy_distributions import PolicyDistribution
from worldmodels.agents.on_policy.config import OnPolicyConfig, PPOConfig
from worldmodels.agents.returns import generalized_advantages, transform_rewards
from worldmodels.core.errors import ConfigError
from worldmodels.core.types import State
from worldmodels.models import draws
from worldmodels.models.devices import sum_over_devices


class Samples(NamedTuple):
    """The samples of one iteration: N single steps, or whole rollouts (B, T) for a policy with memory."""

    features: Any
    actions: tf.Tensor
    """int32, or float32 of one axis more."""
    is_first: tf.Tensor
    """bool."""
    weights: tf.Tensor
    """float32, 0 to 1: how much a sample counts. A step that is none counts nothing."""
    advantages: tf.Tensor
    """float32."""
    returns: tf.Tensor
    """float32: what the value should have been."""
    values: tf.Tensor
    """float32: what it was."""
    log_probability: tf.Tensor
    """float32: of the action, when it was chosen."""
    policy_scale: tf.Tensor
    """float32, 0 to 1, the same for all samples of an iteration: what PPO's loss of the policy is multiplied by."""
    memory: State
    """The policy's, before each rollout: leading B, or ()."""


def collect_samples(
    rollouts: Rollouts,
    weights: tf.Tensor,
    distribution: PolicyDistribution,
    config: OnPolicyConfig,
    whole_rollouts: bool,
) -> Samples:
    """Return the steps of rollouts, with advantages as they come.

    The target of a value is the lambda-return: the advantage plus the value as it was. This is less noisy than the sum
    of all rewards that followed, and equal to it where lambda is 1.

    Args:
        weights: float32 (T, B).
        whole_rollouts: whether the samples keep their rollouts, as a policy with memory needs them.
    """
    values = rollouts.extras["value"]
    rewards = transform_rewards(rollouts.rewards, config.reward_transform)
    discounts = config.discount * rollouts.continuations
    advantages = generalized_advantages(rewards, values, discounts, rollouts.is_last, config.gae_lambda)
    returns = advantages + values[:-1]
    log_probability = distribution.log_probability(rollouts.extras[distribution.extra], rollouts.actions)
    known = (rollouts.features, rollouts.actions, rollouts.is_first)
    features, actions, is_first = tf.nest.map_structure(lambda x: x[:-1], known)
    scale = tf.ones_like(weights)
    steps = Samples(
        features, actions, is_first, weights, advantages, returns, values[:-1], log_probability[:-1], scale, memory=()
    )
    if not whole_rollouts:
        return tf.nest.map_structure(lambda x: tf.reshape(x, (-1, *x.shape[2:])), steps)
    by_rollout = tf.nest.map_structure(lambda x: tf.transpose(x, (1, 0, *range(2, x.shape.rank))), steps)
    return by_rollout._replace(memory=rollouts.memory)


def normalize(advantages: tf.Tensor, weights: tf.Tensor) -> tf.Tensor:
    """Return advantages with a weighted mean of 0 and a weighted variance of 1."""
    centred = advantages - weighted_mean(advantages, weights)
    return centred / (deviation(advantages, weights) + 1e-8)


def deviation(x: tf.Tensor, weights: tf.Tensor) -> tf.Tensor:
    """Return the standard deviation, a scalar, where each counts by its weight."""
    return tf.sqrt(_variance(x, weights))


def weighted_mean(x: tf.Tensor, weights: tf.Tensor) -> tf.Tensor:
    """Return the weighted mean, a scalar; 0 where nothing has weight."""
    total, weight = sum_over_devices(tf.reduce_sum(weights * x)), sum_over_devices(tf.reduce_sum(weights))
    return tf.math.divide_no_nan(total, weight)


def take(samples: Samples, rows: tf.Tensor) -> Samples:
    """Return some rows of all samples."""
    return tf.nest.map_structure(lambda x: tf.gather(x, rows), samples)


def explained_variance(samples: Samples) -> tf.Tensor:
    """Return the share of the returns' variance that the values explain: 1 all, 0 none, negative worse than none."""
    unknown = samples.returns - samples.values
    return 1.0 - tf.math.divide_no_nan(_variance(unknown, samples.weights), _variance(samples.returns, samples.weights))


def _variance(x: tf.Tensor, weights: tf.Tensor) -> tf.Tensor:
    return weighted_mean(tf.square(x - weighted_mean(x, weights)), weights)


def draw_minibatches(samples: Samples, config: PPOConfig, epochs: int, seed: tf.Tensor) -> tf.Tensor:
    """Draw the minibatches of all epochs, each epoch in an order of its own: int32 (minibatches, rows).

    Raises:
        ConfigError: whole rollouts do not fill a minibatch evenly.
    """
    rows = samples.weights.shape[0]
    size = _rows_of_minibatch(samples, config)
    orders = tf.argsort(draws.uniform((epochs, rows), seed))
    return tf.reshape(orders[:, : rows // size * size], (-1, size))


def minibatches_in_order(samples: Samples, config: PPOConfig) -> tf.Tensor:
    """Return minibatches that hold every row, in order, filled up from the front: int32 (minibatches, rows)."""
    rows, size = samples.weights.shape[0], _rows_of_minibatch(samples, config)
    return tf.reshape(tf.range(-(-rows // size) * size) % rows, (-1, size))


def _rows_of_minibatch(samples: Samples, config: PPOConfig) -> int:
    shape, minibatch = samples.weights.shape, config.minibatch
    if minibatch < 1:
        return max(1, int(minibatch * shape[0] + 1e-6))
    steps = shape[1] if config.lstm else 1
    if minibatch >= shape.num_elements():
        return shape[0]
    if minibatch % steps:
        raise ConfigError(
            f"With an LSTM a minibatch is made of whole rollouts: agent.minibatch must be a multiple of their "
            f"{steps} steps, or all of the {shape.num_elements()} samples, or a share below 1. Received {minibatch}."
        )
    return int(minibatch // steps)


class StepResult(NamedTuple):
    """The result of one step."""

    figures: dict[str, tf.Tensor]
    """Scalars to report."""
    finite: tf.Tensor
    """Whether loss and gradient were."""
    goes_on: bool | tf.Tensor = True
    """Whether there is to be another step."""


class StepsResult(NamedTuple):
    """The result of several steps."""

    figures: dict[str, tf.Tensor]
    """The means of the steps' figures."""
    finite: tf.Tensor
    """Whether all steps were."""
    done: tf.Tensor
    """float32: how many there were."""


def run_steps(step: Callable[[tf.Tensor], StepResult], count: int, names: tuple[str, ...]) -> StepsResult:
    """Call `step(i)` for i = 0 to `count` - 1, up to the first that is not finite or says that it was the last.

    Args:
        names: of the figures.
    """

    def goes_on(i, finite, wanted, sums):
        return finite & wanted & (i < count)

    def body(i, finite, wanted, sums):
        result = step(i)
        sums = {name: sums[name] + result.figures[name] for name in names}
        return i + 1, result.finite, tf.convert_to_tensor(result.goes_on), sums

    start = (tf.constant(0), tf.constant(True), tf.constant(True), dict.fromkeys(names, tf.zeros(())))
    done, finite, _, sums = tf.while_loop(goes_on, body, start, parallel_iterations=1)
    steps = tf.cast(done, tf.float32)
    return StepsResult({name: value / tf.maximum(steps, 1.0) for name, value in sums.items()}, finite, steps)
