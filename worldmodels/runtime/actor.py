"""Actors: what chooses actions in a real vector environment, one call for all environments."""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np
import tensorflow as tf

from worldmodels.agents.api import Agent
from worldmodels.core.seeding import fold, generator_state, restore_generator
from worldmodels.models.api import Perception


class Actor(Protocol):
    """Chooses one action for each of N environments."""

    def act(self, observation: np.ndarray, is_first: np.ndarray) -> np.ndarray:
        """Observations uint8 (N, H, W, C) and flags bool (N,) give actions int32 (N,)."""

    def correct(self, action: np.ndarray) -> None:
        """Tell the actor that these actions int32 (N,) were taken in place of the ones it gave last."""

    def save(self) -> dict[str, Any]: ...

    def load(self, tree: dict[str, Any]) -> None: ...


class RandomActor:
    """Uniformly random actions, whatever it sees."""

    def __init__(self, num_actions: int, generator: np.random.Generator):
        self._num_actions = num_actions
        self._generator = generator

    def act(self, observation: np.ndarray, is_first: np.ndarray) -> np.ndarray:
        return self._generator.integers(self._num_actions, size=len(observation), dtype=np.int32)

    def correct(self, action: np.ndarray) -> None:
        pass  # it does not look back

    def save(self) -> dict[str, Any]:
        return {"generator": generator_state(self._generator)}

    def load(self, tree: dict[str, Any]) -> None:
        self._generator = restore_generator(tree["generator"])


class ModelActor:
    """An agent that sees the world through the state of a world model.

    Args:
        key: int32 (2,); all sampling is a function of it and of the number of the call.
        temperature: of the policy; 0 takes the most probable action.
    """

    def __init__(self, model: Perception, agent: Agent, num_envs: int, key: np.ndarray, temperature: float = 1.0):
        self._model, self._agent, self._num_envs = model, agent, num_envs
        image = tf.TensorSpec((num_envs, *model.spec.observation_shape), tf.uint8)
        self._step = tf.function(self._observe_and_act).get_concrete_function(
            *tf.nest.map_structure(tf.TensorSpec.from_tensor, self._initial()),
            image,
            tf.TensorSpec((num_envs,), tf.bool),
            tf.TensorSpec((), tf.float32),
            tf.TensorSpec((2,), tf.int32),
        )
        self.reset(key, temperature)

    def reset(self, key: np.ndarray, temperature: float = 1.0) -> None:
        """Forget all that was seen, and start over; the compiled step is kept."""
        self._key, self._temperature = key, tf.constant(temperature, tf.float32)
        self._memory = self._initial()
        self._calls = 0

    @property
    def state(self) -> Any:
        """The world model's state, a nest of tensors with N rows."""
        return self._memory[0]

    def act(self, observation: np.ndarray, is_first: np.ndarray) -> np.ndarray:
        seed = tf.constant(fold(self._key, self._calls))
        self._calls += 1
        self._memory = self._step(
            *self._memory, tf.constant(observation), tf.constant(is_first), self._temperature, seed
        )
        return self._memory[1].numpy()

    def correct(self, action: np.ndarray) -> None:
        state, _, agent_state = self._memory
        self._memory = (state, tf.constant(action), agent_state)

    def save(self) -> dict[str, Any]:
        leaves = tf.nest.flatten(self._memory)
        return {"calls": self._calls, "memory": {f"{i:03d}": leaf.numpy() for i, leaf in enumerate(leaves)}}

    def load(self, tree: dict[str, Any]) -> None:
        self._calls = tree["calls"]
        leaves = [tf.constant(leaf) for _, leaf in sorted(tree["memory"].items())]
        self._memory = tf.nest.pack_sequence_as(self._memory, leaves)

    def _initial(self) -> tuple[Any, tf.Tensor, Any]:
        no_action = tf.zeros((self._num_envs,), tf.int32)
        return self._model.initial(self._num_envs), no_action, self._agent.initial(self._num_envs)

    def _observe_and_act(self, state, previous_action, agent_state, observation, is_first, temperature, seed):
        observe_seed, act_seed = tf.unstack(tf.random.split(seed, 2))
        state = self._model.observe(state, observation, previous_action, is_first, observe_seed)
        features = self._model.features(state)
        agent_state = tf.nest.map_structure(lambda x: _where_not(is_first, x), agent_state)
        action, agent_state, _ = self._agent.act(features, agent_state, temperature, act_seed)
        return state, action, agent_state


def _where_not(is_first: tf.Tensor, value: tf.Tensor) -> tf.Tensor:
    """Zero the rows of `value` where an episode begins."""
    mask = tf.reshape(is_first, (-1,) + (1,) * (value.shape.rank - 1))
    return tf.where(mask, tf.zeros_like(value), value)
