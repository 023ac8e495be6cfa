"""The planner tries each action in the model, lets a policy continue, and takes the best action on average.

It follows tensor2tensor's planner for SimPLe (Kaiser et al. 2020), with two differences: later rewards count less than
earlier ones, not more, and rewards after an expected end count nothing.

Axes: N decisions at once, R rollouts for each, A actions.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import tensorflow as tf

from worldmodels.core.types import State
from worldmodels.imagination.planner_config import PlannerConfig
from worldmodels.imagination.rollout import Policy, RolloutOptions, Trajectory, rollout
from worldmodels.imagination.row_groups import ROLLOUTS, equal_groups
from worldmodels.models import draws
from worldmodels.models.api import WorldModel


class PlannedAction(NamedTuple):
    """A decision for each of N states, with the totals of all actions."""

    action: tf.Tensor
    """int32 (N,): the chosen actions."""
    totals: tf.Tensor
    """float32 (N, A): the mean discounted total of the rollouts that began with each action; 0 without a rollout."""
    counts: tf.Tensor
    """float32 (N, A): the number of rollouts that began with each action."""
    memory: State
    """The policy's memory after the state, leading N."""


class Planner:
    """A planner decides by rollouts in a world model; call `plan` inside a `tf.function`.

    Args:
        policy: acts in the rollouts; its extra `value`, if it gives one, is the return after their last step.
    """

    def __init__(self, model: WorldModel, policy: Policy, config: PlannerConfig):
        self._model, self._policy, self._config = model, policy, config
        self._num_actions = model.spec.num_actions

    def plan(self, state: State, memory: State, temperature: float | tf.Tensor, seed: tf.Tensor) -> PlannedAction:
        """Choose an action in each of N states.

        Args:
            state: the model's, leading N.
            memory: the policy's, leading N.
            temperature: of the model's own randomness.
            seed: int32 (2,).
        """
        seeds = draws.split(seed, 3)
        features = self._model.features(state)
        _, after, _ = self._policy(features, memory, seeds[0])
        first = self._first_actions(tf.nest.flatten(features)[0].shape[0], seeds[1])
        totals = self._totals((state, after), first, temperature, seeds[2])
        chosen = tf.one_hot(first, self._num_actions)
        counts = tf.reduce_sum(chosen, 1)
        means = tf.math.divide_no_nan(tf.reduce_sum(chosen * totals[..., None], 1), counts)
        action = tf.argmax(tf.where(counts > 0, means, -math.inf), 1, tf.int32)
        return PlannedAction(action, means, counts, after)

    def _first_actions(self, n: int, seed: tf.Tensor) -> tf.Tensor:
        """Return the first action of each rollout, int32 (N, R): each action equally often, as far as R divides."""
        r, a = self._config.rollouts, self._num_actions
        # A random offset decides which actions get one rollout more than the others.
        offset = draws.uniform((n, 1), seed, 0, a, tf.int32)
        return (tf.range(r) * a // r + offset) % a

    def _totals(self, starts: State, first: tf.Tensor, temperature: float | tf.Tensor, seed: tf.Tensor) -> tf.Tensor:
        """Return each rollout's discounted total, float32 (N, R), from states and the policy's memory, leading N."""
        n, r = first.shape
        groups = equal_groups(n * r, ROLLOUTS[self._model.spec.imagines_images])
        rows = tf.reshape(tf.repeat(tf.range(n), r), (groups, -1))
        inputs = (rows, tf.reshape(first, (groups, -1)), draws.split(seed, groups))

        def totals_of(inputs):
            rows, first, seed = inputs
            return self._roll(*_gather(starts, rows), first, temperature, seed)

        if groups == 1:
            return tf.reshape(totals_of(tuple(x[0] for x in inputs)), (n, r))
        totals = tf.map_fn(totals_of, inputs, fn_output_signature=tf.float32, parallel_iterations=1)
        return tf.reshape(totals, (n, r))

    def _roll(
        self, state: State, memory: State, first: tf.Tensor, temperature: float | tf.Tensor, seed: tf.Tensor
    ) -> tf.Tensor:
        seeds = draws.split(seed, 2)
        after = self._model.imagine(state, first, temperature, seeds[0])

        def policy(features, memory, seed):
            action, memory, extras = self._policy(features, memory, seed)
            return action, memory, {"value": extras["value"]} if "value" in extras else {}

        options = RolloutOptions(self._config.horizon, temperature)
        return discounted_total(rollout(self._model, policy, after, memory, options, seeds[1]), self._config.discount)


def discounted_total(trajectory: Trajectory, discount: float) -> tf.Tensor:
    """Return the discounted total of each rollout, float32 (B,), the reward that arrived with its first state included:

        r[0] + d c[0] r[1] + ... + d^H c[0] ... c[H-1] r[H] + d^(H+1) c[0] ... c[H] v[H]

    with the discount d, the continuations c, and the values v that the policy gave in its extras, if it did.
    """
    weights = tf.math.cumprod(discount * trajectory.continuations, 0)
    before = tf.concat([tf.ones_like(weights[:1]), weights[:-1]], 0)
    total = tf.reduce_sum(before * trajectory.rewards, 0)
    return total + weights[-1] * trajectory.extras["value"][-1] if "value" in trajectory.extras else total


def _gather(nest: State, rows: tf.Tensor) -> State:
    return tf.nest.map_structure(lambda x: tf.gather(x, rows), nest)
