"""A world model as somebody looks at it, one step at a time."""

from __future__ import annotations

from typing import NamedTuple

import tensorflow as tf

from worldmodels.core.types import State
from worldmodels.models.api import ModelSpec, WorldModel
from worldmodels.models.graph import graph


class Sight(NamedTuple):
    """All that a model says of a state."""

    frame: tf.Tensor
    """uint8 (B, H, W, C)."""
    reward: tf.Tensor
    """float32 (B,)."""
    continuation: tf.Tensor
    """float32 (B,)."""


class Onlooker:
    """Gives what there is to see of a step in one call: calling a graph takes milliseconds, whatever it does."""

    def __init__(self, model: WorldModel) -> None:
        self._model = model

    @property
    def spec(self) -> ModelSpec:
        """Of the model."""
        return self._model.spec

    @graph
    def imagine(
        self, state: State, action: tf.Tensor, temperature: float | tf.Tensor, seed: tf.Tensor
    ) -> tuple[State, Sight]:
        """The model's own `imagine`, and what is seen then."""
        state = self._model.imagine(state, action, temperature, seed)
        return state, self.look(state)

    @graph
    def look(self, state: State) -> Sight:
        """What is seen of a state."""
        return Sight(self._model.frame(state), self._model.reward(state), self._model.continuation(state))

    def frame(self, state: State) -> tf.Tensor:
        """The image alone."""
        return self._model.frame(state)
