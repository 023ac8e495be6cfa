"""A Gymnasium environment that knows nothing of worldmodels; importing this registers it as `Catch-v0`."""

from __future__ import annotations

from typing import Any

import gymnasium
import numpy as np
from gymnasium.spaces import Box, Discrete

SIZE, CELLS = 64, 8
CELL = SIZE // CELLS


class Catch(gymnasium.Env[np.ndarray, int]):
    """A ball falls down one of 8 columns, one row a step; the paddle in the lowest row catches it (+1) or not (-1).

    Actions are left, stay and right. An episode is 7 steps.
    """

    observation_space = Box(0, 255, (SIZE, SIZE, 3), np.uint8)
    action_space = Discrete(3)

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[np.ndarray, dict[str, Any]]:
        super().reset(seed=seed)
        self._row, self._paddle = 0, CELLS // 2
        self._column = int(self.np_random.integers(CELLS))
        return self._picture(), {}

    def step(self, action: int) -> tuple[np.ndarray, float, bool, bool, dict[str, Any]]:
        self._paddle = int(np.clip(self._paddle + action - 1, 0, CELLS - 1))
        self._row += 1
        landed = self._row == CELLS - 1
        reward = (1.0 if self._paddle == self._column else -1.0) if landed else 0.0
        return self._picture(), reward, landed, False, {}

    def _picture(self) -> np.ndarray:
        cells = np.zeros((CELLS, CELLS, 3), np.uint8)
        cells[self._row, self._column, 0] = 255
        cells[CELLS - 1, self._paddle, 1] = 255
        return cells.repeat(CELL, 0).repeat(CELL, 1)


gymnasium.register("Catch-v0", entry_point=Catch)
