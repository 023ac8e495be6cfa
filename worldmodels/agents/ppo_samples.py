"""The samples of one iteration of PPO, and their minibatches."""

from __future__ import annotations

from typing import NamedTuple

import tensorflow as tf

from worldmodels.agents.api import Experience
from worldmodels.agents.ppo_config import PPOConfig
from worldmodels.agents.returns import generalized_advantages, transform_rewards
from worldmodels.core.errors import ConfigError
from worldmodels.core.types import State
from worldmodels.models.distributions import categorical_log_probability

BOXES = 5
"""The most boxes that are painted over an image, after CoinRun's variant of cutout (Cobbe et al. 2019)."""
SMALLEST, LARGEST = 0.1, 0.35
"""Sides of a box, as shares of the image's."""


class Samples(NamedTuple):
    """The samples of one iteration: N single steps, or whole rollouts (B, T) for a policy with memory."""

    features: tf.Tensor
    actions: tf.Tensor
    """int32."""
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
    memory: State
    """The policy's, before each rollout: leading B, or ()."""


def collect_samples(experience: Experience, weights: tf.Tensor, config: PPOConfig) -> Samples:
    """Return the steps of an experience, with advantages of mean 0 and variance 1 if that is over the whole iteration.

    Args:
        weights: float32 (T, B).
    """
    values = experience.extras["value"]
    rewards = transform_rewards(experience.rewards, config.reward_transform)
    discounts = config.discount * experience.continuations
    advantages = generalized_advantages(rewards, values, discounts, experience.is_last, config.gae_lambda)
    returns = advantages + values[:-1]
    if config.normalize_advantages == "iteration":
        advantages = normalize(advantages, weights, config.advantage_floor)
    log_probability = categorical_log_probability(experience.extras["logits"], experience.actions)
    known = (experience.features, experience.actions, experience.is_first)
    features, actions, is_first = (x[:-1] for x in known)
    steps = Samples(
        features, actions, is_first, weights, advantages, returns, values[:-1], log_probability[:-1], memory=()
    )
    if not config.lstm:
        return tf.nest.map_structure(lambda x: tf.reshape(x, (-1, *x.shape[2:])), steps)
    by_rollout = tf.nest.map_structure(lambda x: tf.transpose(x, (1, 0, *range(2, x.shape.rank))), steps)
    return by_rollout._replace(memory=experience.memory)


def normalize(advantages: tf.Tensor, weights: tf.Tensor, floor: float = 0.0) -> tf.Tensor:
    """Return advantages with mean 0 and variance 1, where each counts by its weight; less where they spread by less
    than `floor`."""
    centred = advantages - weighted_mean(advantages, weights)
    deviation = tf.sqrt(weighted_mean(tf.square(centred), weights))
    return centred / (tf.maximum(deviation, floor) + 1e-8)


def weighted_mean(x: tf.Tensor, weights: tf.Tensor) -> tf.Tensor:
    """Return the weighted mean, a scalar; 0 where nothing has weight."""
    return tf.math.divide_no_nan(tf.reduce_sum(weights * x), tf.reduce_sum(weights))


def draw_minibatches(samples: Samples, config: PPOConfig, seed: tf.Tensor) -> tf.Tensor:
    """Draw the minibatches of all epochs, each epoch in an order of its own: int32 (minibatches, rows).

    Raises:
        ConfigError: whole rollouts do not fill a minibatch evenly.
    """
    rows = samples.actions.shape[0]
    size = _rows_of_minibatch(samples, config)
    orders = tf.argsort(tf.random.stateless_uniform((config.epochs, rows), seed))
    return tf.reshape(orders[:, : rows // size * size], (-1, size))


def minibatches_in_order(samples: Samples, config: PPOConfig) -> tf.Tensor:
    """Return minibatches that hold every row, in order, filled up from the front: int32 (minibatches, rows)."""
    rows, size = samples.actions.shape[0], _rows_of_minibatch(samples, config)
    return tf.reshape(tf.range(-(-rows // size) * size) % rows, (-1, size))


def take(samples: Samples, rows: tf.Tensor) -> Samples:
    """Return some rows of all samples."""
    return tf.nest.map_structure(lambda x: tf.gather(x, rows), samples)


def _rows_of_minibatch(samples: Samples, config: PPOConfig) -> int:
    shape = samples.actions.shape
    steps = shape[1] if config.lstm else 1
    if config.minibatch >= shape.num_elements():
        return shape[0]
    if config.minibatch % steps:
        raise ConfigError(
            f"With an LSTM a minibatch is made of whole rollouts: agent.minibatch must be a multiple of their "
            f"{steps} steps, or all of the {shape.num_elements()} samples. Received {config.minibatch}."
        )
    return config.minibatch // steps


def paint_boxes(images: tf.Tensor, channels: int, seed: tf.Tensor) -> tf.Tensor:
    """Paint 0 to 5 boxes over each image, all drawn uniformly: how many, where, how large, which colour.

    A box covers the same place in all frames of a stack, in one colour.

    Args:
        images: uint8 (N, H, W, F), stacks of F / `channels` frames.
        channels: of one frame.
        seed: int32 (2,).
    """
    count, height, width, depth = images.shape
    seeds = tf.unstack(tf.random.split(seed, 4))
    boxes = tf.random.stateless_uniform((count,), seeds[0], 0, BOXES + 1, tf.int32)
    sides = tf.random.stateless_uniform((count, BOXES, 2), seeds[1], SMALLEST, LARGEST)
    corners = tf.random.stateless_uniform((count, BOXES, 2), seeds[2]) * (1.0 - sides)
    colours = tf.random.stateless_uniform((count, BOXES, channels), seeds[3], 0, 256, tf.int32)
    colours = tf.tile(tf.cast(colours, tf.uint8), (1, 1, depth // channels))

    def inside(axis: int, pixels: int) -> tf.Tensor:
        """Return which rows, or columns, each box covers: bool (N, boxes, pixels)."""
        centres = (tf.range(pixels, dtype=tf.float32) + 0.5) / pixels
        start, side = corners[:, :, axis, None], sides[:, :, axis, None]
        return (centres >= start) & (centres < start + side)

    rows, columns = inside(0, height), inside(1, width)
    for i in range(BOXES):
        covered = (i < boxes)[:, None, None] & rows[:, i, :, None] & columns[:, i, None, :]
        images = tf.where(covered[..., None], colours[:, i, None, None, :], images)
    return images
