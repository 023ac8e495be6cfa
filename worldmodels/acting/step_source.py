"""Sources of real steps: random actions or the agent's, in the environments of this process."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Protocol

import numpy as np

from worldmodels.acting.actor import Actor, ModelActor, PolicyOutput, RandomActor
from worldmodels.acting.build import Parts
from worldmodels.acting.collect import Collector
from worldmodels.acting.exploring_actor import ExploringActor
from worldmodels.acting.held_actor import HeldActor
from worldmodels.acting.random_actions import RandomActions
from worldmodels.config.run_config import ModelBasedConfig, ModelFreeConfig
from worldmodels.core.types import Step
from worldmodels.envs import VectorEnv
from worldmodels.models.variables import assign_values


class StepSource(Protocol):
    """The source of a run's real steps."""

    num_envs: int

    @property
    def resumes_exactly(self) -> bool:
        """Whether the environments can be saved; those that cannot begin new episodes after `load`."""

    def steps(self, count: int, at_random: bool) -> Iterator[tuple[Step, PolicyOutput]]:
        """Yield so many steps of all environments, each with what the policy said at it."""

    def expect(self, count: int, ahead: int = 1) -> None:
        """Let so many steps of each environment be collected by the agent as it is now, behind the expected ones.

        Args:
            ahead: collections that may be under way then; where there are as many, none is added.
        """

    def peek(self) -> tuple[Step, PolicyOutput]:
        """Return the step that comes next, and what the policy says at it; it will come all the same."""

    def save(self) -> dict[str, Any]: ...

    def load(self, tree: dict[str, Any]) -> None: ...


class LocalSource:
    """A `StepSource` in this process: a step is taken when it is asked for."""

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
        """Let the agent act with the weights of another one: the values of `collecting_policy(...).variables`."""
        assign_values(self._policy.variables, weights)

    def steps(self, count: int, at_random: bool) -> Iterator[tuple[Step, PolicyOutput]]:
        actor: Actor = self._random if at_random else self._actor
        return self._collector.steps(actor, count, actor.reinforce if isinstance(actor, HeldActor) else None)

    def expect(self, count: int, ahead: int = 1) -> None:
        """Do nothing: the agent learns first."""

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
    """Return the noise on the actions of a run without a model, if it wants some."""
    training = parts.config.training
    if not isinstance(training, ModelFreeConfig) or not training.epsilon:
        return None
    return RandomActions(training.epsilon, parts.model.spec.action, parts.streams.generator("random actions"))


def _exploring(policy: ModelActor, parts: Parts, num_envs: int) -> Actor:
    """Return the actor that collects after the prefill: the policy, with random stretches if the run wants some."""
    training = parts.config.training
    if not isinstance(training, ModelBasedConfig) or not training.exploration.is_on:
        return policy
    generator = parts.streams.generator("exploration")
    return ExploringActor(policy, training.exploration, num_envs, parts.model.spec.action, generator)


def _random_actor(parts: Parts, num_envs: int) -> RandomActor | HeldActor:
    """Return the actor of the prefill, unless the agent plays it."""
    training, action = parts.config.training, parts.model.spec.action
    generator = parts.streams.generator("prefill")
    if isinstance(training, ModelBasedConfig) and training.prefill_policy == "held":
        return HeldActor(training.held, num_envs, action.count, generator)
    return RandomActor(action, generator)
