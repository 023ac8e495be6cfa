"""From one real state, a model goes on in many ways at once: with other samples, or with each action."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from worldmodels.core.seeding import fold
from worldmodels.player.rows import repeat_row
from worldmodels.player.snapshot import Branch, BranchView
from worldmodels.player.worlds import CROWD, ModelWorld


class Branches:
    """A row of worlds for each branch, one step further at each tick, and from the start again when they are through.

    Every branch draws samples of its own; at temperature 0 nothing but the actions tells them apart.

    Args:
        actions: the action that each branch repeats.
        labels: for people, one for each.
        steps: how far they go.
    """

    def __init__(self, world: ModelWorld, actions: Sequence[int], labels: Sequence[str], steps: int) -> None:
        self._world, self._labels, self._steps = world, labels, steps
        self._actions = np.zeros(rows_for(len(actions)), np.int32)
        self._actions[: len(actions)] = actions
        self._root = world.key("branch")
        self._step = 0
        self._state: Any = None
        self._returns: npt.NDArray[np.float64]
        self._alive: npt.NDArray[np.float64]
        self._begin()

    def step(self, temperature: float) -> None:
        """All go on by one step, or begin anew."""
        if self._step == self._steps:
            self._begin()
            return
        key = fold(self._root, self._step)
        self._state, prediction = self._world.model.step(self._state, self._actions, np.float32(temperature), key)
        self._step += 1
        self._frames = np.asarray(prediction.frame)
        self._returns += np.asarray(prediction.reward) * self._alive
        self._alive = self._alive * np.asarray(prediction.continuation)

    def view(self) -> BranchView:
        """What is to be seen of them now."""
        tiles = tuple(
            Branch(label, self._frames[i], float(self._returns[i]), float(self._alive[i]))
            for i, label in enumerate(self._labels)
        )
        return BranchView(tiles, self._step, self._steps)

    def _begin(self) -> None:
        self._state = repeat_row(self._world.watcher.state, len(self._actions))
        self._step = 0
        self._returns, self._alive = np.zeros(len(self._actions)), np.ones(len(self._actions))
        self._frames = np.asarray(self._world.model.frame(self._state))


def rows_for(branches: int) -> int:
    """Rows of a state for so many branches: mostly those of the samples, so that nothing new has to be compiled."""
    return max(branches, CROWD)
