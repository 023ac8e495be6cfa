"""A world whose every number is known, shaped like a world model: a walk along a line."""

from __future__ import annotations

from typing import NamedTuple

import tensorflow as tf
from image_spaces import image_spec


class Place(NamedTuple):
    position: tf.Tensor
    """float32 (B, 1)."""


class Line:
    """Action 1 goes one to the right, action 0 one to the left; each visit of a place right of 0 pays 1.

    An episode ends at place 3 and at place -3.
    """

    spec = image_spec((16, 16, 3), 2, (7,))

    def imagine(self, state, action, temperature, seed):
        return Place(state.position + 2.0 * tf.cast(action, tf.float32)[:, None] - 1.0)

    def readable(self, state):
        return state

    def features(self, state):
        return tf.one_hot(tf.cast(state.position[:, 0], tf.int32) + 3, 7)

    def reward(self, state):
        return tf.cast(state.position[:, 0] > 0, tf.float32)

    def continuation(self, state):
        return tf.cast(tf.abs(state.position[:, 0]) < 3, tf.float32)
