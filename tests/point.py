"""A world whose every gradient is known, shaped like a world model: a point on a line that is pushed along it."""

from __future__ import annotations

from typing import NamedTuple

import tensorflow as tf

from worldmodels.core.specs import ActionSpec, ObservationSpec
from worldmodels.models.api import ModelSpec

GOAL = 1.0


class PointState(NamedTuple):
    x: tf.Tensor
    """float32 (B, 1)."""


class Point:
    """A push a, from -1 to 1, moves the point by a / 2; being at x costs (x - 1)^2, and nothing ever ends."""

    spec = ModelSpec(ObservationSpec.of(1), ActionSpec(low=(-1.0,), high=(1.0,)), ObservationSpec.of(1))

    def imagine(self, state, action, temperature, seed):
        return PointState(state.x + 0.5 * action)

    def readable(self, state):
        return state

    def features(self, state):
        return state.x

    def reward(self, state):
        return -tf.square(state.x[:, 0] - GOAL)

    def continuation(self, state):
        return tf.ones_like(state.x[:, 0])


class ChosenPoint(Point):
    """The same with three choices, one-hot or as numbers: to the left, to stay, to the right."""

    spec = Point.spec._replace(action=ActionSpec(3))

    def imagine(self, state, action, temperature, seed):
        one_hot = action if action.dtype.is_floating else tf.one_hot(action, 3)
        return PointState(state.x + 0.5 * (one_hot[:, 2:] - one_hot[:, :1]))
