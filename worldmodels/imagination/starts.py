"""Start states of imagined rollouts are states of a world model along real experience."""

from __future__ import annotations

from typing import NamedTuple

import tensorflow as tf

from worldmodels.core.types import Batch, State
from worldmodels.models import draws
from worldmodels.models.api import WorldModel
from worldmodels.replay import previous_actions


class StartStates(NamedTuple):
    """The states at which B rollouts start."""

    states: State
    """A nest of tensors with leading B."""
    continuations: tf.Tensor
    """float32 (B,): 0 where the episode truly ended, else 1."""


def choose_starts(states: State, continuations: tf.Tensor, count: int, seed: tf.Tensor) -> StartStates:
    """Flatten states in time into rows, and choose `count` of them at random, each at most once.

    Args:
        states: leading (B, T).
        continuations: float32 (B, T), 0 where the episode truly ended, else 1.
        count: number of starts; 0, or more than there are, chooses all, in order.
    """
    rows = tf.nest.map_structure(lambda x: tf.reshape(x, (-1, *x.shape[2:])), StartStates(states, continuations))
    total = rows.continuations.shape[0]
    if not 0 < count < total:
        return rows
    # The indices of the largest random numbers are a draw without replacement.
    chosen = tf.math.top_k(draws.uniform((total,), seed), count, sorted=False).indices
    return tf.nest.map_structure(lambda x: tf.gather(x, chosen), rows)


def states_after(model: WorldModel, windows: Batch, seed: tf.Tensor) -> State:
    """Return the states of a model after B windows of experience, leading B."""
    states = model.observe_sequence(
        tf.nest.map_structure(tf.constant, windows.observation),
        tf.constant(previous_actions(windows)),
        tf.constant(windows.is_first),
        seed,
    )
    return tf.nest.map_structure(lambda x: x[:, -1], states)
