"""Minibatches of one iteration of PPO."""

from __future__ import annotations

import tensorflow as tf

from worldmodels.agents.on_policy.config import PPOConfig
from worldmodels.agents.on_policy.samples import Samples
from worldmodels.core.errors import ConfigError


def draw_minibatches(samples: Samples, config: PPOConfig, epochs: int, seed: tf.Tensor) -> tf.Tensor:
    """Draw the minibatches of all epochs, each epoch in an order of its own: int32 (minibatches, rows).

    Raises:
        ConfigError: whole rollouts do not fill a minibatch evenly.
    """
    rows = samples.weights.shape[0]
    size = _rows_of_minibatch(samples, config)
    orders = tf.argsort(tf.random.stateless_uniform((epochs, rows), seed))
    return tf.reshape(orders[:, : rows // size * size], (-1, size))


def minibatches_in_order(samples: Samples, config: PPOConfig) -> tf.Tensor:
    """Return minibatches that hold every row, in order, filled up from the front: int32 (minibatches, rows)."""
    rows, size = samples.weights.shape[0], _rows_of_minibatch(samples, config)
    return tf.reshape(tf.range(-(-rows // size) * size) % rows, (-1, size))


def _rows_of_minibatch(samples: Samples, config: PPOConfig) -> int:
    shape = samples.weights.shape
    steps = shape[1] if config.lstm else 1
    if config.minibatch >= shape.num_elements():
        return shape[0]
    if config.minibatch % steps:
        raise ConfigError(
            f"With an LSTM a minibatch is made of whole rollouts: agent.minibatch must be a multiple of their "
            f"{steps} steps, or all of the {shape.num_elements()} samples. Received {config.minibatch}."
        )
    return config.minibatch // steps
