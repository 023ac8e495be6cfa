"""A world model of a few numbers for each pixel, in which the contract of `models/api.py` is easy to see."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import tensorflow as tf

from worldmodels.core.specs import ActionSpec, ObservationSpec
from worldmodels.models.frame_stack import push
from worldmodels.models.graph import graph
from worldmodels.models.optimizers import Optimizer
from worldmodels.models.variables import load_variables, save_variables
from worldmodels_example.plugin import DriftConfig


class DriftState(NamedTuple):
    """The state of B rows."""

    images: tf.Tensor
    """uint8 (B, H, W, 2 C): the frame before, and the newest."""
    reward: tf.Tensor
    """float32 (B,): 0 where the newest frame was observed."""
    continuation: tf.Tensor
    """float32 (B,): 1 where the newest frame was observed."""


class Drift:
    """A `WorldModel`: the next frame is the newest, plus a share of its last change, plus what the action changes."""

    def __init__(self, config: DriftConfig, observation: ObservationSpec, action: ActionSpec, seed: np.ndarray):
        self.spec = config.spec(observation, action)
        num_actions = self.spec.num_actions
        change = tf.random.stateless_normal((num_actions, *self.spec.observation_shape), seed, stddev=4.0)
        self._weights = {
            "change": tf.Variable(change),
            "share": tf.Variable(0.0),
            "reward": tf.Variable(tf.zeros((num_actions,))),
            "continuation": tf.Variable(2.0),
        }
        self._optimizer = Optimizer(self._weights, config.optimizer)

    def initial(self, batch: int) -> DriftState:
        images = tf.zeros((batch, *self.spec.feature_shape), tf.uint8)
        return DriftState(images, tf.zeros((batch,)), tf.ones((batch,)))

    @graph
    def observe(self, state, observation, previous_action, is_first, seed) -> DriftState:
        rows = observation.shape[0]
        return DriftState(push(state.images, observation, is_first), tf.zeros((rows,)), tf.ones((rows,)))

    @graph
    def observe_sequence(self, observations, previous_actions, is_first, seed, state=None) -> DriftState:
        rows, steps = observations.shape[:2]
        states = []
        for t in range(steps):
            begins = tf.ones((rows,), tf.bool) if state is None else is_first[:, t]
            before = self.initial(rows) if state is None else state
            state = self.observe(before, observations[:, t], previous_actions[:, t], begins, seed)
            states.append(state)
        return tf.nest.map_structure(lambda *x: tf.stack(x, 1), *states)

    @graph
    def imagine(self, state, action, temperature, seed) -> DriftState:
        frame, reward, logit = self._predict(state.images, action)
        frame = tf.cast(tf.clip_by_value(tf.round(frame), 0.0, 255.0), tf.uint8)
        images = push(state.images, frame, tf.zeros(action.shape, tf.bool))
        return DriftState(images, reward, tf.sigmoid(logit))

    def readable(self, state: DriftState) -> DriftState:
        return state

    def features(self, state: DriftState) -> tf.Tensor:
        return state.images

    def frame(self, state: DriftState, before: tf.Tensor | None = None) -> tf.Tensor:
        return state.images[..., -self.spec.observation_shape[-1] :]

    def reward(self, state: DriftState) -> tf.Tensor:
        return state.reward

    def continuation(self, state: DriftState) -> tf.Tensor:
        return state.continuation

    @graph
    def fit(self, batch, seed, weights=None) -> tuple[dict[str, tf.Tensor], DriftState]:
        observation, reward, is_first, _, is_terminal, action = (tf.convert_to_tensor(x) for x in batch)
        states = self.observe_sequence(observation, action, is_first, seed)
        known = tf.reshape(tf.cast(~is_first[:, 1:], tf.float32), (-1,))  # a first frame follows from nothing
        images = tf.reshape(states.images[:, :-1], (-1, *self.spec.feature_shape))
        target = tf.reshape(tf.cast(observation[:, 1:], tf.float32), (-1, *self.spec.observation_shape))
        goes_on = tf.reshape(1.0 - tf.cast(is_terminal[:, 1:], tf.float32), (-1,))
        with tf.GradientTape() as tape:
            frame, expected, logit = self._predict(images, tf.reshape(action[:, :-1], (-1,)))
            frame_error = tf.reduce_mean(tf.square((frame - target) / 255.0), (1, 2, 3))
            reward_error = tf.square(expected - tf.reshape(reward[:, 1:], (-1,)))
            end_error = tf.nn.sigmoid_cross_entropy_with_logits(goes_on, logit)
            event_error = reward_error + end_error
            if weights is not None:
                event_error *= tf.repeat(weights, reward.shape[1] - 1)
            loss = tf.reduce_mean(known * (frame_error + event_error))
        norm, finite = self._optimizer.minimize(tape, loss)
        metrics = {"loss": loss, "gradient_norm": norm, "finite": tf.cast(finite, tf.float32)}
        return {f"model/{name}": value for name, value in metrics.items()}, states

    def _predict(self, images: tf.Tensor, action: tf.Tensor) -> tuple[tf.Tensor, tf.Tensor, tf.Tensor]:
        """Return the next frame, float32 (N, H, W, C), its reward and the logit of its continuation, each (N,)."""
        before, newest = tf.split(tf.cast(images, tf.float32), 2, -1)
        chosen = tf.one_hot(action, self.spec.num_actions)
        change = tf.tensordot(chosen, self._weights["change"], 1)
        frame = newest + self._weights["share"] * (newest - before) + change
        reward = tf.linalg.matvec(chosen, self._weights["reward"])
        return frame, reward, tf.fill(tf.shape(action), self._weights["continuation"].value())

    def save(self) -> dict[str, Any]:
        return {"weights": save_variables(self._weights), "optimizer": self._optimizer.save()}

    def load(self, tree: dict[str, Any]) -> None:
        load_variables(self._weights, tree["weights"], "the model")
        self._optimizer.load(tree["optimizer"])
