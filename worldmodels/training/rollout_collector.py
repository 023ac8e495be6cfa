"""Collects real steps for a loop: acts, counts episodes, and gathers the rollouts that the agent learns from."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from worldmodels.agents.api import Experience
from worldmodels.core.types import Step
from worldmodels.envs import VectorEnv
from worldmodels.runtime.actor import Actor, ModelActor, PolicyOutput, RandomActor
from worldmodels.runtime.build import Parts
from worldmodels.runtime.collect import Collector, EpisodeTracker
from worldmodels.runtime.config import ModelBasedConfig, ModelFreeConfig
from worldmodels.runtime.exploring_actor import ExploringActor
from worldmodels.runtime.held_actor import HeldActor
from worldmodels.runtime.random_actions import RandomActions
from worldmodels.runtime.rollout_buffer import RolloutBuffer
from worldmodels.telemetry.logger import MeanMetrics

STEPS_PER_TICK = 16
"""Steps of the vector environment after which a loop may log, save or stop."""


class RolloutCollector:
    """Yields steps of all environments, under random actions, held or not, or the agent's.

    Args:
        rollout: steps of each environment in one experience of the agent; 0: none are gathered.
        metrics: takes the returns and lengths of finished episodes.
    """

    def __init__(self, parts: Parts, env: VectorEnv, rollout: int, metrics: MeanMetrics):
        streams = parts.streams
        self._rollout, self._metrics, self._num_envs = rollout, metrics, env.num_envs
        self._random_actions = _random_actions(parts)
        self._collector = Collector(env, streams.integer("env"), self._random_actions)
        self._episodes = EpisodeTracker(env.num_envs)
        self._random = _random_actor(parts, env.num_envs)
        # An agent may have a policy of its own for collecting: that explores, and the other one is what it learns.
        agent = getattr(parts.agent, "explorer", parts.agent)
        self._policy = ModelActor(parts.model, agent, env.num_envs, streams.key("act"))
        self._actor = _exploring(self._policy, parts, env.num_envs)
        self._buffer = RolloutBuffer()

    @property
    def steps_until_full(self) -> int:
        """The steps of each environment until the next experience is complete."""
        return self._rollout - len(self._buffer)

    @property
    def holds_partial_rollout(self) -> bool:
        """Whether a part of an experience waits for the rest, which would make a checkpoint large."""
        return len(self._buffer) > 0

    def collect(self, steps: int, at_random: bool = False) -> Iterator[Step]:
        """Yield so many steps of each environment; of the agent's, never more than `steps_until_full` if gathered."""
        actor: Actor = self._random if at_random else self._actor
        for step, output in self._collector.collect(actor, steps * self._num_envs):
            for episode in self._episodes.add(step):
                self._metrics.add({f"episode/{name}": value for name, value in episode.items()})
            if isinstance(actor, HeldActor):
                actor.reinforce(self._collector.arrived["reward"])
            if self._rollout and not at_random:
                self._buffer.add(step, output)
            yield step

    def take_experience(self) -> Experience | None:
        """Return the steps since the last experience, once they are complete, and None before.

        It ends with the observation that waits for an action, seen as the agent is now; after it has learned, the agent
        sees it anew.
        """
        if not self._rollout or self.steps_until_full:
            return None
        return self._buffer.finish(*self._peek())

    def save(self) -> dict[str, Any]:
        """Return the state of environments, actors and buffer as a tree."""
        return {name: part.save() for name, part in self._saveables().items()} | {"buffer": self._buffer.save()}

    def load(self, tree: dict[str, Any]) -> None:
        """Take over what `save` gave."""
        for name, part in self._saveables().items():
            part.load(tree[name])
        self._buffer.load(tree["buffer"], self._peek()[1])
        if not self._collector.resumes_exactly:
            self._buffer.truncate()

    def _peek(self) -> tuple[Step, PolicyOutput]:
        arrived = self._collector.arrived
        output = self._policy.peek(arrived["observation"], arrived["is_first"])
        return Step(**arrived, action=output.action), output

    def _saveables(self) -> dict[str, Any]:
        noise = {"random_actions": self._random_actions} if self._random_actions else {}
        return {
            "collector": self._collector,
            "episodes": self._episodes,
            "random_actor": self._random,
            "actor": self._actor,
            **noise,
        }


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
