"""Actors choose the actions in a real vector environment, one call for all environments."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any, Protocol

import numpy as np
import tensorflow as tf

from worldmodels.agents.api import Agent
from worldmodels.core.seeding import fold, generator_state, restore_generator
from worldmodels.core.specs import ActionSpec, Observation
from worldmodels.models import draws
from worldmodels.models.api import Representation
from worldmodels.models.graph import DirectCall


@dataclass(frozen=True)
class PolicyOutput:
    """The output of a policy at one step of N environments."""

    action: np.ndarray
    """int32 (N,), or float32 (N, D)."""
    features: Any = None
    """The `Representation.features` that the agent saw, leading N; None if no agent acted."""
    extras: dict[str, Any] = field(default_factory=dict)
    """The outputs of `Agent.act` besides the action, leading N."""
    memory: Any = ()
    """The agent's memory before it acted."""

    def with_action(self, action: np.ndarray) -> PolicyOutput:
        """Return the same output with the actions that were taken."""
        return replace(self, action=action)


class Actor(Protocol):
    """Chooses one action for each of N environments."""

    def act(self, observation: Observation, is_first: np.ndarray) -> PolicyOutput:
        """Choose actions for observations, leading N, of which bool (N,) begin an episode."""

    def correct(self, action: np.ndarray) -> None:
        """Replace the last actions by the actions that were taken."""

    def save(self) -> dict[str, Any]: ...

    def load(self, tree: dict[str, Any]) -> None: ...


class RandomActor:
    """Chooses uniformly random actions."""

    def __init__(self, action: ActionSpec, generator: np.random.Generator):
        self._action, self._generator = action, generator

    def reset(self, key: np.ndarray, temperature: float = 1.0) -> None:
        """Start a new random stream; the temperature has no effect."""
        self._generator = np.random.default_rng(key.view(np.uint32))

    def act(self, observation: Observation, is_first: np.ndarray) -> PolicyOutput:
        return PolicyOutput(self._action.random(len(is_first), self._generator))

    def correct(self, action: np.ndarray) -> None:
        pass  # its actions do not depend on earlier ones

    def save(self) -> dict[str, Any]:
        return {"generator": generator_state(self._generator)}

    def load(self, tree: dict[str, Any]) -> None:
        self._generator = restore_generator(tree["generator"])


class ModelActor:
    """Acts by an agent on the features of a representation, which observes every step.

    Args:
        key: int32 (2,), the seed of all samples, together with the number of the call.
        temperature: of the policy's samples; 0 takes the most probable action.
    """

    def __init__(self, model: Representation, agent: Agent, num_envs: int, key: np.ndarray, temperature: float = 1.0):
        self._model, self._agent, self._num_envs = model, agent, num_envs
        self._step = self._compiled()
        self.reset(key, temperature)

    def reset(self, key: np.ndarray, temperature: float = 1.0) -> None:
        """Start over without a memory of earlier steps; the compiled step is kept."""
        self._key, self._temperature = key, tf.constant(temperature, tf.float32)
        self._memory = self._initial()
        self._calls = 0

    @property
    def variables(self) -> list[tf.Variable]:
        """The variables on which the actions depend, without those of optimizers and unused parts."""
        return self._step.variables

    @property
    def memory(self) -> tuple[Any, Any, Any]:
        """The state of the representation, the action that was taken last, and the agent's memory, each leading N."""
        return self._memory

    @property
    def state(self) -> Any:
        """The state of the representation, a nest of tensors with N rows."""
        return self._memory[0]

    def act(self, observation: Observation, is_first: np.ndarray) -> PolicyOutput:
        self._memory, output = self._call(observation, is_first)
        self._calls += 1
        return output

    def peek(self, observation: Observation, is_first: np.ndarray) -> PolicyOutput:
        """Return the output that `act` would return now, and change nothing."""
        return self._call(observation, is_first)[1]

    def _call(self, observation: Observation, is_first: np.ndarray) -> tuple[Any, PolicyOutput]:
        seed = fold(self._key, self._calls)
        memory, features, extras = self._step(*self._memory, observation, is_first, self._temperature, seed)
        return memory, PolicyOutput(memory[1].numpy(), features, extras, self._memory[2])

    def correct(self, action: np.ndarray) -> None:
        state, _, agent_state = self._memory
        self._memory = (state, tf.constant(action), agent_state)

    def save(self) -> dict[str, Any]:
        return {"calls": self._calls, "memory": save_nest(self._memory)}

    def load(self, tree: dict[str, Any]) -> None:
        self._calls = tree["calls"]
        self._memory = load_nest(self._memory, tree["memory"])

    def _compiled(self) -> DirectCall:
        """Return a step of all N environments as one call."""
        num_envs, spec = self._num_envs, self._model.spec.observation
        seen = {name: tf.TensorSpec((num_envs, *part.shape), part.dtype) for name, part in spec.parts}
        return DirectCall(
            self.observe_and_act,
            *tf.nest.map_structure(tf.TensorSpec.from_tensor, self._initial()),
            spec.pack(seen),
            tf.TensorSpec((num_envs,), tf.bool),
            tf.TensorSpec((), tf.float32),
            tf.TensorSpec((2,), tf.int32),
        )

    def _initial(self) -> tuple[Any, tf.Tensor, Any]:
        no_action = tf.constant(self._model.spec.action.zeros(self._num_envs))
        return self._model.initial(self._num_envs), no_action, self._agent.initial(self._num_envs)

    def observe_and_act(self, state, previous_action, agent_state, observation, is_first, temperature, seed):
        observe_seed, act_seed = tf.unstack(draws.split(seed, 2))
        state = self._model.observe(state, observation, previous_action, is_first, observe_seed)
        agent_state = tf.nest.map_structure(lambda x: where_not(is_first, x), agent_state)
        action, agent_state, extras = self._choose(state, agent_state, temperature, act_seed)
        return (state, action, agent_state), self._model.features(state), extras

    def _choose(
        self, state: Any, agent_state: Any, temperature: tf.Tensor, seed: tf.Tensor
    ) -> tuple[tf.Tensor, Any, dict[str, tf.Tensor]]:
        """Choose actions from a state of the model by `Agent.act`; a planner overrides this method."""
        return self._agent.act(self._model.features(state), agent_state, temperature, seed)


def save_nest(nest: Any) -> dict[str, np.ndarray]:
    """Return the tensors or arrays of a nest as part of a saved tree."""
    return {f"{i:03d}": np.asarray(leaf) for i, leaf in enumerate(tf.nest.flatten(nest))}


def load_nest(like: Any, tree: dict[str, np.ndarray]) -> Any:
    """Return the nest that `save_nest` took apart, built as `like`."""
    return tf.nest.pack_sequence_as(like, [tf.constant(leaf) for _, leaf in sorted(tree.items())])


def where_not(is_first: tf.Tensor, value: tf.Tensor) -> tf.Tensor:
    """Zero the rows of `value` where an episode begins."""
    mask = tf.reshape(is_first, (-1,) + (1,) * (value.shape.rank - 1))
    return tf.where(mask, tf.zeros_like(value), value)
