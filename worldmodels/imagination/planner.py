"""Planning at decision time: try each action in the model, let a policy go on, and take the best on average.

After tensor2tensor's planner for SimPLe (Kaiser et al. 2020), except that here a later reward counts less than an
earlier one, not more, and that what the model expects to have ended earns nothing.

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
from worldmodels.models.api import WorldModel

LEAST_DEVIATION = 1e-3
"""The normaliser never divides by less."""


class PlannerMemory(NamedTuple):
    """The memory that a planner carries from one decision to the next; zeros at the start of an episode."""

    policy: State
    """The memory of the policy itself, leading N."""
    best: tf.Tensor
    """float32 (N, window): the mean totals of the actions that were chosen last, the newest last."""
    count: tf.Tensor
    """int32 (N,): how many of them there are."""


def first_memory(policy: State, config: PlannerConfig, batch: int) -> PlannerMemory:
    """Return the memory before the first decision of `batch` episodes; `policy` is the policy's own memory then."""
    return PlannerMemory(policy, tf.zeros((batch, config.window)), tf.zeros((batch,), tf.int32))


class PlannedAction(NamedTuple):
    """A decision for each of N states, and the totals that it rests on."""

    action: tf.Tensor
    """int32 (N,): the actions that were chosen."""
    totals: tf.Tensor
    """float32 (N, A): the mean discounted total of the rollouts that began with each action; 0 where none did."""
    counts: tf.Tensor
    """float32 (N, A): the number of rollouts that began with each action."""
    memory: PlannerMemory


class Planner:
    """A planner decides by rollouts in a world model; call `plan` inside a `tf.function`.

    Args:
        policy: acts in the rollouts; its extra `value`, where it gives one, says what follows after their last step.
    """

    def __init__(self, model: WorldModel, policy: Policy, config: PlannerConfig):
        self._model, self._policy, self._config = model, policy, config
        self._num_actions = model.spec.num_actions

    def plan(
        self, state: State, memory: PlannerMemory, temperature: float | tf.Tensor, seed: tf.Tensor
    ) -> PlannedAction:
        """Choose an action in each of N states.

        Args:
            state: the model's, leading N.
            temperature: of the model's own randomness.
            seed: int32 (2,).
        """
        seeds = tf.random.split(seed, 3)
        _, after, extras = self._policy(self._model.features(state), memory.policy, seeds[0])
        first = self._first_actions(state, memory, seeds[1])
        totals = self._totals((state, after), first, temperature, seeds[2])
        chosen = tf.one_hot(first, self._num_actions)
        counts = tf.reduce_sum(chosen, 1)
        means = tf.math.divide_no_nan(tf.reduce_sum(chosen * totals[..., None], 1), counts)
        action = tf.argmax(self._scores(means, counts, memory, extras), 1, tf.int32)
        best = tf.concat([memory.best[:, 1:], tf.gather(means, action[:, None], batch_dims=1)], 1)
        return PlannedAction(
            action, means, counts, PlannerMemory(after, best, tf.minimum(memory.count + 1, best.shape[1]))
        )

    def _first_actions(self, state: State, memory: PlannerMemory, seed: tf.Tensor) -> tf.Tensor:
        """Return the first action of each rollout, int32 (N, R)."""
        n, r, a = memory.count.shape[0], self._config.rollouts, self._num_actions
        if self._config.uniform_first_actions:
            # Where there are fewer rollouts than actions, or a rest, chance decides whose turn it is.
            offset = tf.random.stateless_uniform((n, 1), seed, 0, a, tf.int32)
            return (tf.range(r) * a // r + offset) % a
        state, policy_memory = _gather((state, memory.policy), tf.repeat(tf.range(n), r))
        return tf.reshape(self._policy(self._model.features(state), policy_memory, seed)[0], (n, r))

    def _totals(self, starts: State, first: tf.Tensor, temperature: float | tf.Tensor, seed: tf.Tensor) -> tf.Tensor:
        """Return each rollout's discounted total, float32 (N, R), from states and the policy's memory, leading N."""
        n, r = first.shape
        groups = equal_groups(n * r, ROLLOUTS[self._model.spec.imagines_images])
        rows = tf.reshape(tf.repeat(tf.range(n), r), (groups, -1))
        inputs = (rows, tf.reshape(first, (groups, -1)), tf.random.split(seed, groups))

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
        seeds = tf.random.split(seed, 2)
        after = self._model.imagine(state, first, temperature, seeds[0])

        def policy(features, memory, seed):
            action, memory, extras = self._policy(features, memory, seed)
            return action, memory, {"value": extras["value"]} if "value" in extras else {}

        options = RolloutOptions(self._config.horizon, temperature)
        return discounted_total(rollout(self._model, policy, after, memory, options, seeds[1]), self._config.discount)

    def _scores(self, means, counts, memory: PlannerMemory, extras: dict[str, tf.Tensor]) -> tf.Tensor:
        """Return the scores of the actions, float32 (N, A); minus infinity for those that were not tried."""
        config = self._config
        scores = means / tf.maximum(_deviation(memory), LEAST_DEVIATION)[:, None]
        if config.uct:
            prior = tf.nn.softmax(extras["logits"]) if "logits" in extras else 1 / self._num_actions
            scores += config.uct * prior * tf.sqrt(math.log(config.rollouts) / (1 + counts))
        return tf.where(counts > 0, scores, -math.inf)


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


def _deviation(memory: PlannerMemory) -> tf.Tensor:
    """Return the standard deviation of the totals in the memory, float32 (N,)."""
    window = memory.best.shape[1]
    there = tf.cast(tf.range(window) >= window - memory.count[:, None], tf.float32)
    count = tf.maximum(tf.reduce_sum(there, 1), 1.0)
    mean = tf.reduce_sum(there * memory.best, 1) / count
    return tf.sqrt(tf.reduce_sum(there * tf.square(memory.best - mean[:, None]), 1) / count)
