"""Explores while steps are collected: held random actions and noise replace the actions of the policy."""

from __future__ import annotations

from typing import Any

import numpy as np

from worldmodels.acting.actor import Actor, PolicyOutput
from worldmodels.config.training_config import ExplorationConfig
from worldmodels.core.seeding import generator_state, restore_generator
from worldmodels.core.specs import ActionSpec, Observation


class ExploringActor:
    """Takes the actions of another actor, except during stretches of one held random action, and adds noise.

    This is temporally extended epsilon-greedy exploration (Dabney et al. 2021, https://arxiv.org/abs/2006.01782), with
    geometrically distributed lengths. The policy alone would not reach the states in which such a stretch ends;
    imagination starts there, too.
    """

    def __init__(
        self,
        actor: Actor,
        config: ExplorationConfig,
        num_envs: int,
        action: ActionSpec,
        generator: np.random.Generator,
    ):
        self._actor, self._config, self._spec, self._generator = actor, config, action, generator
        self._held = action.zeros(num_envs)
        self._left = np.zeros(num_envs, np.int64)

    def act(self, observation: Observation, is_first: np.ndarray) -> PolicyOutput:
        output = self._actor.act(observation, is_first)
        self._begin(is_first)
        explores = self._left > 0
        self._left -= explores
        if not explores.any() and not self._config.noise:
            return output
        action = np.where(self._in_rows(explores), self._held, self._noisy(output.action)).astype(self._spec.dtype)
        self._actor.correct(action)
        return output.with_action(action)

    def _in_rows(self, mask: np.ndarray) -> np.ndarray:
        """Return a mask (N,) in the shape of actions."""
        return mask.reshape(-1, *[1] * len(self._spec.shape))

    def _noisy(self, action: np.ndarray) -> np.ndarray:
        """Return actions with noise; choices have none."""
        if not self._config.noise:
            return action
        noise = self._generator.normal(0.0, self._config.noise, action.shape)
        noisy: np.ndarray = np.clip(action + noise, -1.0, 1.0)
        return noisy

    def _begin(self, is_first: np.ndarray) -> None:
        """Draw the environments in which a stretch begins; an episode begins without one."""
        generator, num_envs = self._generator, len(is_first)
        begins = generator.random(num_envs) < self._config.epsilon
        actions = self._spec.random(num_envs, generator)
        lengths = generator.geometric(1 / self._config.mean_length, num_envs)
        self._left = np.where(is_first, 0, self._left)
        begins &= self._left == 0
        self._held = np.where(self._in_rows(begins), actions, self._held)
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
