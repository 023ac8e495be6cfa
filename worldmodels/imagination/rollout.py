"""Acting in a learned world: many rollouts side by side, in one graph.

Axes: B rollouts, H steps, F features. Call these inside a `tf.function`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import tensorflow as tf

from worldmodels.core.types import State
from worldmodels.models.api import WorldModel

Policy = Callable[[tf.Tensor, tf.Tensor], tf.Tensor]
"""Features (B, F) and a seed give actions int32 (B,)."""


class Trajectory(NamedTuple):
    """What happened in imagination. Index t = 0 is the start; `actions[t]` leads from state t to state t + 1."""

    states: State
    """Leading (H + 1, B)."""
    features: tf.Tensor
    """float32 (H + 1, B, F)."""
    actions: tf.Tensor
    """int32 (H, B)."""
    rewards: tf.Tensor
    """float32 (H + 1, B): the reward that arrives with each state."""
    continuations: tf.Tensor
    """float32 (H + 1, B): the probability that the episode goes on after each state."""


def rollout(
    model: WorldModel, policy: Policy, starts: State, horizon: int, temperature: float | tf.Tensor, seed: tf.Tensor
) -> Trajectory:
    """Act for `horizon` steps in the model, from B states at once.

    The loop holds the model's step and the policy alone; rewards and continuations are read afterwards from all states
    in one piece.

    Args:
        starts: a nest of tensors with leading B.
        temperature: of the model's own randomness.
        seed: int32 (2,).
    """
    seeds = tf.reshape(tf.random.split(seed, 2 * horizon), (horizon, 2, 2))

    def step(state, seeds):
        action = policy(model.features(state), seeds[0])
        return model.imagine(state, action, temperature, seeds[1]), action

    states, actions = _unroll(step, starts, seeds, horizon)
    flat = tf.nest.map_structure(lambda x: tf.reshape(x, (-1, *x.shape[2:])), states)

    def by_time(x: tf.Tensor) -> tf.Tensor:
        return tf.reshape(x, (horizon + 1, -1, *x.shape[1:]))

    read = (model.features, model.reward, model.continuation)
    features, rewards, continuations = (by_time(function(flat)) for function in read)
    return Trajectory(states, features, actions, rewards, continuations)


def replay_actions(
    model: WorldModel, starts: State, actions: tf.Tensor, temperature: float | tf.Tensor, seed: tf.Tensor
) -> State:
    """Repeat given actions in the model, without looking (an open-loop prediction).

    Args:
        starts: leading B.
        actions: int32 (H, B).

    Returns:
        The states after each action, leading (H, B).
    """
    horizon = actions.shape[0]
    seeds = tf.random.split(seed, horizon)
    inputs = (seeds, actions)

    def step(state, inputs):
        return model.imagine(state, inputs[1], temperature, inputs[0]), inputs[1]

    states, _ = _unroll(step, starts, inputs, horizon)
    return tf.nest.map_structure(lambda x: x[1:], states)


def _unroll(
    step: Callable[[State, Any], tuple[State, tf.Tensor]], starts: State, inputs: Any, horizon: int
) -> tuple[State, tf.Tensor]:
    """Call `step(state, inputs[t])` for each t: the states with the starts in front, and the actions."""

    def array(x: tf.Tensor, steps: int) -> tf.TensorArray:
        return tf.TensorArray(x.dtype, steps, element_shape=x.shape)

    states = tf.nest.map_structure(lambda x: array(x, horizon + 1).write(0, x), starts)
    rows = tf.nest.flatten(starts)[0].shape[0]
    actions = tf.TensorArray(tf.int32, horizon, element_shape=(rows,))

    def body(t, state, states, actions):
        state, action = step(state, tf.nest.map_structure(lambda x: x[t], inputs))
        states = tf.nest.map_structure(lambda a, x: a.write(t + 1, x), states, state)
        return t + 1, state, states, actions.write(t, action)

    loop = (tf.constant(0), starts, states, actions)
    _, _, states, actions = tf.while_loop(lambda t, *_: t < horizon, body, loop, maximum_iterations=horizon)
    return tf.nest.map_structure(lambda a: a.stack(), states), actions.stack()
