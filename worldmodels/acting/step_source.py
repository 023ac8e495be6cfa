"""Sources of real steps, with random actions or with actions of the agent; `LocalSource` is this process."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Protocol

import numpy as np

from worldmodels.acting.actor import Actor, ModelActor, PolicyOutput, RandomActor
from worldmodels.acting.build import Parts
from worldmodels.acting.collect import Collector
from worldmodels.acting.exploring_actor import ExploringActor, HeldActor
from worldmodels.config.training_config import ModelBasedConfig, ModelFreeConfig
from worldmodels.core.seeding import generator_state, restore_generator
from worldmodels.core.specs import ActionSpec
from worldmodels.core.types import Step
from worldmodels.envs import VectorEnv
from worldmodels.models.variables import assign_values


class StepSource(Protocol):
    """The source of a run's real steps."""

    num_envs: int

    @property
    def resumes_exactly(self) -> bool:
        """Whether the environments can be saved; other environments begin new episodes after `load`."""

    def steps(self, count: int, at_random: bool) -> Iterator[tuple[Step, PolicyOutput]]:
        """Yield `count` steps of all environments, each with the output of the policy."""

    def expect(self, count: int, ahead: int = 1) -> None:
        """Announce `count` more steps of each environment, by the agent as it is now; collectors begin them at once.

        Args:
            ahead: the most announced collections at a time; if there are as many already, none is added.
        """

    def peek(self) -> tuple[Step, PolicyOutput]:
        """Return the next step and the output of the policy, without taking it."""

    def save(self) -> dict[str, Any]: ...

    def load(self, tree: dict[str, Any]) -> None: ...


class RandomActions:
    """Replaces each of N actions by a uniformly random one with probability `share`, which regularises learning.

    `share` is the epsilon of CoinRun's study (Cobbe et al. 2019, arXiv:1812.02341), there a wrapper of environments.
    The agent learns from its chosen actions and from the rewards of the random ones.
    """

    def __init__(self, share: float, action: ActionSpec, generator: np.random.Generator):
        self._share, self._action, self._generator = share, action, generator

    def __call__(self, action: np.ndarray) -> np.ndarray:
        """Return the actions to take, in the same number and type."""
        count = len(action)
        replaced = self._generator.random(count) < self._share
        at_random = self._action.random(count, self._generator)
        rows = replaced.reshape(-1, *[1] * (action.ndim - 1))
        return np.where(rows, at_random, action).astype(action.dtype)

    def save(self) -> dict[str, Any]:
        return {"generator": generator_state(self._generator)}

    def load(self, tree: dict[str, Any]) -> None:
        self._generator = restore_generator(tree["generator"])


class LocalSource:
    """A `StepSource` of this process, which takes a step on demand."""

    def __init__(self, parts: Parts, env: VectorEnv):
        streams = parts.streams
        self.num_envs = env.num_envs
        self._random_actions = _random_actions(parts)
        self._collector = Collector(env, streams.integer("env"), self._random_actions)
        self._random = _random_actor(parts, env.num_envs)
        self._policy = collecting_policy(parts, env.num_envs)
        self._actor = _exploring(self._policy, parts, env.num_envs)

    @property
    def resumes_exactly(self) -> bool:
        return self._collector.resumes_exactly

    def take_weights(self, weights: list[np.ndarray]) -> None:
        """Let the agent act with the values of the variables of another `collecting_policy`."""
        assign_values(self._policy.variables, weights)

    def steps(self, count: int, at_random: bool) -> Iterator[tuple[Step, PolicyOutput]]:
        actor: Actor = self._random if at_random else self._actor
        return self._collector.steps(actor, count, actor.reinforce if isinstance(actor, HeldActor) else None)

    def expect(self, count: int, ahead: int = 1) -> None:
        """Do nothing: steps are taken on demand."""

    def peek(self) -> tuple[Step, PolicyOutput]:
        arrived = self._collector.arrived
        output = self._policy.peek(arrived["observation"], arrived["is_first"])
        return Step(**arrived, action=output.action), output

    def save(self) -> dict[str, Any]:
        return {name: part.save() for name, part in self._saveables().items()}

    def load(self, tree: dict[str, Any]) -> None:
        for name, part in self._saveables().items():
            part.load(tree[name])

    def _saveables(self) -> dict[str, Any]:
        noise = {"random_actions": self._random_actions} if self._random_actions else {}
        return {"collector": self._collector, "random_actor": self._random, "actor": self._actor, **noise}


def collecting_policy(parts: Parts, num_envs: int) -> ModelActor:
    """Return what collects in so many environments.

    An agent may have a policy of its own for that, which explores, and the other one is what it learns.
    """
    return ModelActor(parts.model, parts.agent.collector, num_envs, parts.streams.key("act"))


def _random_actions(parts: Parts) -> RandomActions | None:
    """Return the noise on the actions of a model-free run, if its configuration has any."""
    training = parts.config.training
    if not isinstance(training, ModelFreeConfig) or not training.epsilon:
        return None
    return RandomActions(training.epsilon, parts.model.spec.action, parts.streams.generator("random actions"))


def _exploring(policy: ModelActor, parts: Parts, num_envs: int) -> Actor:
    """Return the actor that collects after the prefill: the policy, with exploration if it is configured."""
    training = parts.config.training
    if not isinstance(training, ModelBasedConfig) or not training.exploration.is_on:
        return policy
    generator = parts.streams.generator("exploration")
    return ExploringActor(policy, training.exploration, num_envs, parts.model.spec.action, generator)


def _random_actor(parts: Parts, num_envs: int) -> RandomActor | HeldActor:
    """Return the actor of a random prefill."""
    training, action = parts.config.training, parts.model.spec.action
    generator = parts.streams.generator("prefill")
    if isinstance(training, ModelBasedConfig) and training.prefill_policy == "held":
        return HeldActor(num_envs, action.count, generator)
    return RandomActor(action, generator)
