"""Random actions in place of an agent's, of which it is not told: noise of the environment, as it were."""

from __future__ import annotations

from typing import Any

import numpy as np

from worldmodels.core.seeding import generator_state, restore_generator
from worldmodels.core.specs import ActionSpec


class RandomActions:
    """Replaces each of N actions by a uniformly random one with probability `share`, the epsilon of CoinRun's study.

    There (Cobbe et al. 2019, arXiv:1812.02341) it is a wrapper of the environments, and regularises: whoever learns
    from whole rollouts goes on with the actions that it chose and their probabilities, and with what came of others.
    """

    def __init__(self, share: float, action: ActionSpec, generator: np.random.Generator):
        self._share, self._action, self._generator = share, action, generator

    def __call__(self, action: np.ndarray) -> np.ndarray:
        """Return the actions that are really taken, as many and of the same type."""
        count = len(action)
        replaced = self._generator.random(count) < self._share
        at_random = self._action.random(count, self._generator)
        rows = replaced.reshape(-1, *[1] * (action.ndim - 1))
        return np.where(rows, at_random, action).astype(action.dtype)

    def save(self) -> dict[str, Any]:
        return {"generator": generator_state(self._generator)}

    def load(self, tree: dict[str, Any]) -> None:
        self._generator = restore_generator(tree["generator"])
