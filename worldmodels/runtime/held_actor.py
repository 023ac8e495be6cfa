"""Random play that gets somewhere: actions are held, some of them preferred, and preferences that paid used again."""

from __future__ import annotations

from typing import Any

import numpy as np

from worldmodels.core.seeding import generator_state, restore_generator
from worldmodels.runtime.actor import PolicyOutput
from worldmodels.runtime.config import HeldActionsConfig

KEPT = 64
"""Rewards of which the preferences are kept, the last ones."""


class HeldActor:
    """Chooses random actions for N environments and holds each for some steps, whatever it sees.

    Holding as in temporally extended exploration (Dabney et al. 2021, https://arxiv.org/abs/2006.01782), but with
    geometrically distributed lengths. The preferences among which it chooses are drawn from a Dirichlet distribution,
    or taken from an urn of those under which rewards came.
    """

    def __init__(self, config: HeldActionsConfig, num_envs: int, num_actions: int, generator: np.random.Generator):
        weights = np.asarray(config.weights or (1.0,) * num_actions)
        self._config, self._generator = config, generator
        self._concentrations = config.concentration * num_actions * weights / weights.sum()
        self._preference = np.full((num_envs, num_actions), 1 / num_actions)
        self._action = np.zeros(num_envs, np.int32)
        self._rewarded, self._rewards = np.zeros((KEPT, num_actions)), 0

    def act(self, observation: np.ndarray, is_first: np.ndarray) -> PolicyOutput:
        random, num_envs = self._generator.random, len(is_first)
        turns = is_first | (random(num_envs) < 1 / self._config.preference_steps)
        for env in np.flatnonzero(turns):
            self._preference[env] = self._draw_preference()
        drawn = turns | (random(num_envs) < 1 / self._config.mean_length)
        cumulative = self._preference.cumsum(1)
        actions = (cumulative <= random((num_envs, 1)) * cumulative[:, -1:]).sum(1)
        self._action = np.where(drawn, actions, self._action).astype(np.int32)
        return PolicyOutput(self._action)

    def correct(self, action: np.ndarray) -> None:
        self._action = action

    def reinforce(self, reward: np.ndarray) -> None:
        """Take note of the rewards (N,) to which the last actions led."""
        for env in np.flatnonzero(reward > 0):
            self._rewarded[self._rewards % KEPT] = self._preference[env]
            self._rewards += 1

    def save(self) -> dict[str, Any]:
        return {
            "generator": generator_state(self._generator),
            "preference": self._preference.copy(),
            "action": self._action,
            "rewarded": self._rewarded.copy(),
            "rewards": self._rewards,
        }

    def load(self, tree: dict[str, Any]) -> None:
        self._generator = restore_generator(tree["generator"])
        self._preference, self._rewarded = tree["preference"].copy(), tree["rewarded"].copy()
        self._action, self._rewards = tree["action"], tree["rewards"]

    def _draw_preference(self) -> np.ndarray:
        """Draw probabilities of the actions (A,)."""
        if self._generator.random() < self._config.reuse and self._rewards:
            return self._rewarded[self._generator.integers(min(self._rewards, KEPT))]
        return self._generator.dirichlet(self._concentrations)
