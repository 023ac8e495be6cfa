"""What is recorded of the infos of episodes: sums, means and greatest of the numbers that `env.info` names."""

from __future__ import annotations

from typing import Any

import numpy as np

from worldmodels.core.types import Step
from worldmodels.envs.config import InfoConfig


class EpisodeInfo:
    """Follows the episode that each of N environments is in."""

    def __init__(self, num_envs: int, config: InfoConfig):
        self.names = [f"{how}/{name}" for how in ("sum", "mean", "max") for name in getattr(config, how)]
        self._is_mean = np.array([name.startswith("mean/") for name in self.names], bool)
        self._is_max = np.array([name.startswith("max/") for name in self.names], bool)
        self._found: np.ndarray = np.zeros((num_envs, len(self.names)))
        self._steps: np.ndarray = np.zeros(num_envs, np.int64)

    def add(self, step: Step) -> None:
        """Take in a step; that of a reset begins an episode, and tells nothing."""
        if not self.names:
            return
        info: Any = step.info
        is_first = step.is_first[:, None]
        added = np.where(self._is_max, np.maximum(self._found, info), self._found + info)
        self._found = np.where(is_first, np.where(self._is_max, -np.inf, 0.0), added)
        self._steps = np.where(step.is_first, 0, self._steps + 1)

    def values(self) -> np.ndarray:
        """Return float64 (N, K), the K numbers of each episode so far; without meaning before its first step."""
        steps = np.maximum(self._steps, 1)[:, None]
        return self._found / np.where(self._is_mean, steps, 1)

    def save(self) -> dict[str, Any]:
        return {"found": self._found, "steps": self._steps}

    def load(self, tree: dict[str, Any]) -> None:
        self._found, self._steps = tree["found"], tree["steps"]
