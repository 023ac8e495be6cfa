"""Samples for the checks: features and actions of each kind, and recorded steps of an agent."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np
import tensorflow as tf

from worldmodels.agents import build_agent, check_fits
from worldmodels.agents.api import Recent, Rollouts, Transitions
from worldmodels.agents.config import AgentConfig
from worldmodels.core.errors import ConfigError
from worldmodels.core.specs import ArraySpec, ObservationSpec
from worldmodels.core.types import State
from worldmodels.models import draws, precision
from worldmodels.models.api import ModelSpec
from worldmodels.models.conformance.samples import BOX, ROWS, SHAPE, SPACES, STEPS, key, leaves
from worldmodels.models.graph import make_deterministic

SPECS = {
    "vector": ModelSpec(*SPACES, ObservationSpec.of(7)),
    "images": ModelSpec(*SPACES, ObservationSpec.of(*SHAPE[:2], 6)),
    "mixed": ModelSpec(*SPACES, ObservationSpec((("eye", ArraySpec((*SHAPE[:2], 6))), ("touch", ArraySpec((7,)))))),
    "box": ModelSpec(SPACES[0], BOX, ObservationSpec.of(7)),
}
"""Features of each kind that a representation may offer, with discrete actions; and a box of actions."""


def specs(config: AgentConfig) -> dict[str, ModelSpec]:
    """Return those of `SPECS` that the agent can have."""

    def fits(spec: ModelSpec) -> bool:
        try:
            check_fits(config, spec)
        except ConfigError:
            return False
        return True

    return {name: spec for name, spec in SPECS.items() if fits(spec)}


def make_agent(config: AgentConfig, spec: ModelSpec, number: int = 0) -> Any:
    """Return a fresh agent in the current precision, whose weights the number decides."""
    make_deterministic()
    return build_agent(config, spec, key(number))


def renewed_agent(config: AgentConfig, spec: ModelSpec, number: int = 0) -> Any:
    """Return an agent with the fresh weights that the number decides: always the same object, since tracing its graphs
    takes most of the time."""
    agent = _learner(config, spec, precision.current())
    agent.load(make_agent(config, spec, number).save())
    return agent


@lru_cache(maxsize=len(SPECS))  # a configuration goes through all checks before the next one does
def _learner(config: AgentConfig, spec: ModelSpec, _: precision.Precision) -> Any:
    return make_agent(config, spec)


def features(spec: ModelSpec, *leading: int) -> Any:
    """Return random features, leading `leading`."""
    return spec.features.pack({name: _random(part, leading) for name, part in spec.features.parts})


def _random(part: ArraySpec, leading: tuple[int, ...]) -> tf.Tensor:
    random, shape = np.random.default_rng(6), (*leading, *part.shape)
    if part.is_image:
        return tf.constant(random.integers(0, 256, shape, np.uint8))
    return tf.constant(random.normal(size=shape).astype(np.float32))


def can_learn(agent: Any) -> bool:
    """Return whether there is anything that the agent could learn: a matrix among what it saves."""
    return any(isinstance(value, np.ndarray) and value.ndim > 1 for value in leaves(agent.save()).values())


def rollouts(agent: Any, spec: ModelSpec, seed: int = 0) -> Rollouts:
    """Return rollouts of an agent: at step 4 an episode ends in environment 1, and is cut in environment 2."""
    is_first, is_last, ends = np.zeros((3, STEPS + 1, ROWS), bool)
    is_first[0] = is_first[5, 1:] = is_last[4, 1:] = ends[4, 1] = True
    seen, memory = features(spec, STEPS + 1, ROWS), agent.initial(ROWS)
    before, actions, extras = memory, [], []
    for t in range(STEPS + 1):
        begins = is_first[t]
        memory = tf.nest.map_structure(lambda x, begins=begins: tf.where(_column(begins, x), 0.0, x), memory)
        now = tf.nest.map_structure(lambda x, t=t: x[t], seen)
        action, memory, extra = agent.act(now, memory, 1.0, key(100 * seed + t))
        actions.append(action)
        extras.append(extra)
    rewards = np.random.default_rng(seed).choice([0.0, 1.0], is_first.shape).astype(np.float32)
    flags = tf.constant(1.0 - ends, tf.float32), tf.constant(is_first), tf.constant(is_last)
    stacked = tf.nest.map_structure(lambda *x: tf.stack(x), *extras)
    return Rollouts(seen, tf.stack(actions), tf.constant(rewards), *flags, stacked, before)


def recent(agent: Any, spec: ModelSpec, seed: int = 0) -> Recent:
    """Return the same steps as windows (B, T), as an agent gets its newest ones."""
    steps = rollouts(agent, spec, seed)
    fields = (steps.features, steps.actions, steps.extras, steps.rewards, steps.is_last, steps.continuations < 1.0)
    return Recent(*tf.nest.map_structure(lambda x: tf.transpose(x, (1, 0, *range(2, x.shape.rank))), fields))


def transitions(spec: ModelSpec, seed: int = 0) -> Transitions:
    """Return three batches of single steps, a third of which terminated their episodes."""
    random, leading = np.random.default_rng(seed), (3, 12)
    seen = features(spec, 2, *leading)
    before, after = (tf.nest.map_structure(lambda x, i=i: x[i], seen) for i in (0, 1))
    actions = spec.action.random(36, random).reshape(*leading, *spec.action.shape)
    rewards = random.choice([0.0, 1.0], leading).astype(np.float32)
    continuations = (random.permutation(36).reshape(leading) >= 12).astype(np.float32)
    return Transitions(before, tf.constant(actions), tf.constant(rewards), tf.constant(continuations), after)


def _column(mask: np.ndarray, value: tf.Tensor) -> tf.Tensor:
    return tf.reshape(mask, (-1,) + (1,) * (value.shape.rank - 1))


class PushedPoint:
    """A world model whose state is a vector, which an action of any kind moves, and whose gradients are exact.

    A state costs its squared length, and the further away it is, the sooner the episode ends.
    """

    def __init__(self, spec: ModelSpec):
        """Prepare a world of `spec`, whose features are vectors."""
        self.spec = spec
        shape = spec.action.width, *spec.feature_shape
        self._pushes = tf.constant(np.random.default_rng(8).normal(0.0, 0.5, shape).astype(np.float32))

    def imagine(self, state: State, action: tf.Tensor, temperature: float | tf.Tensor, seed: tf.Tensor) -> State:
        if not action.dtype.is_floating:
            action = tf.one_hot(action, self.spec.action.count)
        noise = draws.normal(tf.shape(state[0]), seed, stddev=0.1)
        return (0.9 * state[0] + tf.matmul(action, self._pushes) + temperature * noise,)

    def readable(self, state: State) -> State:
        return state

    def features(self, state: State) -> tf.Tensor:
        return state[0]

    def reward(self, state: State) -> tf.Tensor:
        return -tf.reduce_sum(tf.square(state[0]), -1)

    def continuation(self, state: State) -> tf.Tensor:
        return tf.exp(-0.01 * tf.reduce_sum(tf.square(state[0]), -1))
