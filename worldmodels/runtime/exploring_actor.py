"""Exploration while experience is collected: now and then a random action is held, whatever the policy says."""

from __future__ import annotations

from typing import Any

import numpy as np

from worldmodels.core.seeding import generator_state, restore_generator
from worldmodels.core.specs import Observation
from worldmodels.runtime.actor import Actor, PolicyOutput
from worldmodels.runtime.config import ExplorationConfig


class ExploringActor:
    """Lets another actor choose for N environments, but for stretches in which one random action is held.

    Temporally extended epsilon-greedy exploration (Dabney et al. 2021, https://arxiv.org/abs/2006.01782), with
    geometrically distributed lengths. It takes the policy off its path, to places from which a learner that imagines
    finds what it would never try from its own.
    """

    def __init__(
        self,
        actor: Actor,
        config: ExplorationConfig,
        num_envs: int,
        num_actions: int,
        generator: np.random.Generator,
    ):
        self._actor, self._config, self._num_actions, self._generator = actor, config, num_actions, generator
        self._held = np.zeros(num_envs, np.int32)
        self._left = np.zeros(num_envs, np.int64)

    def act(self, observation: Observation, is_first: np.ndarray) -> PolicyOutput:
        output = self._actor.act(observation, is_first)
        self._begin(is_first)
        explores = self._left > 0
        self._left -= explores
        if not explores.any():
            return output
        action = np.where(explores, self._held, output.action).astype(np.int32)
        self._actor.correct(action)
        return output.with_action(action)

    def _begin(self, is_first: np.ndarray) -> None:
        """Draw where exploration begins; an episode begins without any."""
        generator, num_envs = self._generator, len(is_first)
        begins = generator.random(num_envs) < self._config.epsilon
        actions = generator.integers(self._num_actions, size=num_envs, dtype=np.int32)
        lengths = generator.geometric(1 / self._config.mean_length, num_envs)
        self._left = np.where(is_first, 0, self._left)
        begins &= self._left == 0
        self._held = np.where(begins, actions, self._held)
        self._left = np.where(begins, lengths, self._left)

    def correct(self, action: np.ndarray) -> None:
        self._actor.correct(action)

    def save(self) -> dict[str, Any]:
        return {
            "generator": generator_state(self._generator),
            "held": self._held,
            "left": self._left,
            "actor": self._actor.save(),
        }

    def load(self, tree: dict[str, Any]) -> None:
        self._generator = restore_generator(tree["generator"])
        self._held, self._left = tree["held"], tree["left"]
        self._actor.load(tree["actor"])
