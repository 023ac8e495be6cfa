"""Rollouts act in a world model, many side by side in one graph.

Axes: B rollouts, H steps, F features. Call these inside a `tf.function`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import tensorflow as tf

from worldmodels.core.types import State
from worldmodels.models import draws
from worldmodels.models.api import WorldModel

Policy = Callable[[tf.Tensor, State, tf.Tensor], tuple[tf.Tensor, State, dict[str, tf.Tensor]]]
"""Features (B, ...), the policy's memory and a seed give actions (B, ...), the new memory, and extras (B, ...)."""


class Trajectory(NamedTuple):
    """The course of B imagined rollouts. Index t = 0 is the start; `actions[t]` leads from state t to state t + 1."""

    states: State
    """The readable part of the states (`WorldModel.readable`), leading (H + 1, B)."""
    features: tf.Tensor
    """(H + 1, B, ...)."""
    actions: tf.Tensor
    """(H + 1, B, ...): int32 choices, float32 numbers of a box, or one-hot vectors of choices for gradients through
    them. The last actions are chosen and not taken."""
    rewards: tf.Tensor
    """float32 (H + 1, B): the reward that arrives with each state."""
    continuations: tf.Tensor
    """float32 (H + 1, B): the probability that the episode goes on after each state."""
    extras: dict[str, tf.Tensor]
    """The policy's other outputs, each leading (H + 1, B)."""


class RolloutOptions(NamedTuple):
    """The options of a rollout."""

    horizon: int
    """Steps, H."""
    temperature: float | tf.Tensor = 1.0
    """Scale of the model's randomness: 1 as learned, 0 the most probable future."""


def rollout(
    model: WorldModel, policy: Policy, starts: State, memory: State, options: RolloutOptions, seed: tf.Tensor
) -> Trajectory:
    """Act for `options.horizon` steps in the model, from B states at once.

    The loop holds only the model's step and the policy. Features, rewards and continuations are read afterwards from
    all states at once. Only the readable part of the states is kept, so rollouts may be long. A gradient tape around it
    gives the gradients of predictions for the actions, if the model has them.

    Args:
        starts: a nest of tensors with leading B.
        memory: the policy's, leading B; () if it has none.
        seed: int32 (2,).
    """
    horizon = options.horizon
    seeds = tf.reshape(draws.split(seed, 2 * (horizon + 1)), (horizon + 1, 2, 2))

    def step(carried, seeds):
        state, memory = carried
        action, memory, extras = policy(model.features(state), memory, seeds[0])
        state_after = model.imagine(state, action, options.temperature, seeds[1])
        return (state_after, memory), (model.readable(state), action, extras)

    (state, memory), kept = unroll(step, (starts, memory), seeds[:-1], horizon)
    action, _, extras = policy(model.features(state), memory, seeds[-1, 0])
    last = (model.readable(state), action, extras)
    states, actions, extras = tf.nest.map_structure(lambda x, y: tf.concat([x, y[None]], 0), kept, last)
    flat = tf.nest.map_structure(lambda x: tf.reshape(x, (-1, *x.shape[2:])), states)

    def by_time(x: tf.Tensor) -> tf.Tensor:
        return tf.reshape(x, (horizon + 1, -1, *x.shape[1:]))

    # Behind an identity two of three gradients are added as a pair (see `make_deterministic`).
    paired = tf.nest.map_structure(tf.identity, flat)
    features, rewards = by_time(model.features(paired)), by_time(model.reward(paired))
    return Trajectory(states, features, actions, rewards, by_time(model.continuation(flat)), extras)


def rollout_actions(
    model: WorldModel, starts: State, actions: tf.Tensor, temperature: float | tf.Tensor, seed: tf.Tensor
) -> State:
    """Take given actions in the model, without observations (an open-loop prediction).

    Args:
        starts: leading B.
        actions: (H, B, ...), of `spec.action`.

    Returns:
        The readable part of the states after each action, leading (H, B).
    """
    horizon = actions.shape[0]
    seeds = draws.split(seed, horizon)

    def step(state, inputs):
        seed, action = inputs
        state = model.imagine(state, action, temperature, seed)
        return state, model.readable(state)

    return unroll(step, starts, (seeds, actions), horizon)[1]


def unroll(step: Callable[[Any, Any], tuple[Any, Any]], carried: Any, inputs: Any, steps: int) -> tuple[Any, Any]:
    """Call `step(carried, inputs[t])` for each t; it returns the next `carried` and values to keep.

    Returns:
        The last `carried`, and all kept values, leading (steps, ...).
    """

    def at(t: int | tf.Tensor) -> Any:
        return tf.nest.map_structure(lambda x: x[t], inputs)

    carried, first = step(carried, at(0))
    kept = tf.nest.map_structure(lambda x: tf.TensorArray(x.dtype, steps, element_shape=x.shape).write(0, x), first)

    def body(t, carried, kept):
        carried, now = step(carried, at(t))
        return t + 1, carried, tf.nest.map_structure(lambda array, x: array.write(t, x), kept, now)

    loop = (tf.constant(1), carried, kept)
    _, carried, kept = tf.while_loop(lambda t, *_: t < steps, body, loop, maximum_iterations=steps - 1)
    return carried, tf.nest.map_structure(lambda array: array.stack(), kept)
