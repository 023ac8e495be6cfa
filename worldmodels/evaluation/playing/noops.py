"""Begins episodes with a random number of steps without an action, so that equal levels begin differently."""

from __future__ import annotations

from typing import Any

import numpy as np

from worldmodels.acting.actor import Actor, PolicyOutput
from worldmodels.core.specs import Observation
from worldmodels.envs.games.table import ACTION_KEYS
from worldmodels.envs.games.vector_env import GameVectorEnv


class NoopActor:
    """An actor that plays as `actor` does, but begins each episode with 1 to `most` no-ops, drawn for each episode.

    Args:
        noop_action: a choice, or each number of an action that is a point of a box.

    The actor observes those frames too, and receives the actions that were really taken.
    """

    def __init__(self, actor: Actor, most: int, noop_action: int, generator: np.random.Generator) -> None:
        self._actor, self._most, self._noop_action, self._generator = actor, most, noop_action, generator
        self._left: Any = 0

    def act(self, observation: Observation, is_first: np.ndarray) -> PolicyOutput:
        """Choose actions for observations, leading N, of which bool (N,) begin an episode."""
        output = self._actor.act(observation, is_first)
        # Drawn for all at every step, so that the numbers do not depend on when other episodes end.
        drawn = self._generator.integers(1, self._most + 1, size=len(is_first))
        self._left = np.where(is_first, drawn, self._left)
        waits = (self._left > 0).reshape(-1, *(1,) * (output.action.ndim - 1))
        action = np.where(waits, self._noop_action, output.action).astype(output.action.dtype)
        if (self._left > 0).any():
            self._actor.correct(action)
        self._left = np.maximum(self._left - 1, 0)
        return output.with_action(action)


def noop_action(env: Any) -> int:
    """Return the action that does nothing; foreign environments that have one call it 0, as a rule.

    Of a box it is the middle, where each number is 0.
    """
    return ACTION_KEYS.index(()) if isinstance(env, GameVectorEnv) else 0
