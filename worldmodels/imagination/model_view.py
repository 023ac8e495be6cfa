"""A world model from outside: what it predicts of a state, and how it continues on its own.

One letter per axis: B rows, H steps. Evaluation, termination forecasts and the player's branches and heat map all go
through here.
"""

from __future__ import annotations

from typing import NamedTuple

import tensorflow as tf

from worldmodels.core.types import State
from worldmodels.imagination.rollout import Policy, RolloutOptions, rollout, rollout_actions
from worldmodels.models.api import ModelSpec, WorldModel
from worldmodels.models.graph import graph


class Prediction(NamedTuple):
    """Everything that a model predicts of states, with the leading axes of the states."""

    frame: tf.Tensor
    """uint8 (..., H, W, C)."""
    reward: tf.Tensor
    """float32 (...)."""
    continuation: tf.Tensor
    """float32 (...): the probability that the episode continues."""


class ModelView:
    """Reads predictions from the states of a world model, and continues it without observations.

    Each method is one call of one graph, because a call takes milliseconds whatever it does.
    """

    def __init__(self, model: WorldModel) -> None:
        self._model = model

    @property
    def spec(self) -> ModelSpec:
        """The spec of the model."""
        return self._model.spec

    def frame(self, state: State) -> tf.Tensor:
        """Return the images of B states: uint8 (B, H, W, C)."""
        return self._model.frame(state)

    def repeat(self, state: State, rows: int) -> State:
        """Return the state of one row `rows` times, for many samples or actions of one step."""
        return tf.nest.map_structure(lambda x: tf.repeat(x, rows, 0), state)

    @graph
    def predict(self, state: State) -> Prediction:
        """Return what the model predicts of B states."""
        return Prediction(self._model.frame(state), self._model.reward(state), self._model.continuation(state))

    @graph
    def predict_sequence(self, states: State) -> Prediction:
        """Return what the model predicts of states in time, leading (H, B)."""
        flat = tf.nest.map_structure(lambda x: tf.reshape(x, (-1, *x.shape[2:])), states)
        shape = tf.shape(tf.nest.flatten(states)[0])[:2]
        reward, continuation = (
            tf.reshape(x, shape) for x in (self._model.reward(flat), self._model.continuation(flat))
        )
        # Images one step at a time: decoding all of them at once would take gigabytes.
        return Prediction(tf.map_fn(self._model.frame, states, fn_output_signature=tf.uint8), reward, continuation)

    @graph
    def step(
        self, state: State, action: tf.Tensor, temperature: float | tf.Tensor, seed: tf.Tensor
    ) -> tuple[State, Prediction]:
        """Take one imagined step from B states, and return the states after it with their prediction.

        Args:
            action: int32 (B,).
            temperature: scales the model's randomness: 1 as learned, 0 the most probable future.
            seed: int32 (2,).
        """
        state = self._model.imagine(state, action, temperature, seed)
        return state, self.predict(state)

    @graph
    def continue_with_actions(
        self, state: State, actions: tf.Tensor, temperature: float | tf.Tensor, seed: tf.Tensor
    ) -> Prediction:
        """Return the predictions (H, B) after each of the given actions, int32 (H, B), taken from B states."""
        return self.predict_sequence(rollout_actions(self._model, state, actions, temperature, seed))

    def continue_with_policy(
        self, state: State, policy: Policy, memory: State, options: RolloutOptions, seed: tf.Tensor
    ) -> Prediction:
        """Return the predictions (H, B) after each step of a policy from B states; call it inside a `tf.function`."""
        trajectory = rollout(self._model, policy, state, memory, options, seed)
        return self.predict_sequence(tf.nest.map_structure(lambda x: x[1:], trajectory.states))
