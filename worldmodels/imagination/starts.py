"""Where imagination starts: states that the model had while it followed recorded experience."""

from __future__ import annotations

import tensorflow as tf

from worldmodels.core.types import State


def choose_starts(states: State, continuations: tf.Tensor, count: int, seed: tf.Tensor) -> tuple[State, tf.Tensor]:
    """Flatten states in time into rows, and take `count` of them at random, each at most once.

    Args:
        states: leading (B, T).
        continuations: float32 (B, T), 0 where the episode truly ended.
        count: how many; 0, or more than there are, takes all, in order.

    Returns:
        The rows, leading (count,), and their continuations (count,).
    """
    rows = tf.nest.map_structure(lambda x: tf.reshape(x, (-1, *x.shape[2:])), (states, continuations))
    total = rows[1].shape[0]
    if not 0 < count < total:
        return rows
    # The places of the largest of random numbers: a draw without replacement.
    chosen = tf.math.top_k(tf.random.stateless_uniform((total,), seed), count, sorted=False).indices
    return tf.nest.map_structure(lambda x: tf.gather(x, chosen), rows)
