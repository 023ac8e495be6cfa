"""Records the infos of episodes: sums, means and maxima of the numbers that `env.info` names."""

from __future__ import annotations

from typing import Any

import numpy as np

from worldmodels.core.types import Step
from worldmodels.envs.config import InfoConfig


class EpisodeInfo:
    """Records the infos of the current episode of each of N environments."""

    def __init__(self, num_envs: int, config: InfoConfig):
        self.names = [f"{how}/{name}" for how in ("sum", "mean", "max") for name in getattr(config, how)]
        self._is_mean = np.array([name.startswith("mean/") for name in self.names], bool)
        self._is_max = np.array([name.startswith("max/") for name in self.names], bool)
        self._found: np.ndarray = np.zeros((num_envs, len(self.names)))

    def add(self, step: Step) -> None:
        """Add a step; the step of a reset begins an episode, and its infos do not count."""
        if not self.names:
            return
        info: Any = step.info
        is_first = step.is_first[:, None]
        added = np.where(self._is_max, np.maximum(self._found, info), self._found + info)
        self._found = np.where(is_first, np.where(self._is_max, -np.inf, 0.0), added)

    def values(self, lengths: np.ndarray) -> np.ndarray:
        """Return float64 (N, K), the K numbers of each episode so far; undefined before its first step.

        Args:
            lengths: int (N,), the steps of each episode so far.
        """
        return self._found / np.where(self._is_mean, np.maximum(lengths, 1)[:, None], 1)

    def save(self) -> dict[str, Any]:
        return {"found": self._found}

    def load(self, tree: dict[str, Any]) -> None:
        self._found = tree["found"]
