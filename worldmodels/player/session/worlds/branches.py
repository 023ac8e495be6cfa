"""The branches of a model from one real state: other samples of the same action, or one branch for each action."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from worldmodels.core.seeding import fold
from worldmodels.player.session.controls.actions import action_rows
from worldmodels.player.session.snapshot import Branch, BranchesSnapshot
from worldmodels.player.session.worlds.frames import row_of
from worldmodels.player.session.worlds.model_world import NUM_SAMPLES, ModelWorld, arrays_of
from worldmodels.recordings.action_recording import Action


class Branches:
    """A model continues one row of its state for each branch, by one step a tick, and starts again after the last.

    Every branch draws its own samples; at temperature 0 branches differ only by their actions.

    Args:
        actions: the action that each branch repeats.
        labels: for people, one for each.
        steps: the length of the branches.
    """

    def __init__(self, world: ModelWorld, actions: Sequence[Action], labels: Sequence[str], steps: int) -> None:
        self._world, self._labels, self._steps = world, labels, steps
        # Mostly as many rows as there are samples, so that nothing new has to be compiled.
        self._actions = action_rows(0, max(len(actions), NUM_SAMPLES), world.model.spec.action)
        self._actions[: len(actions)] = actions
        self._root = world.key("branch")
        self._step = 0
        self._state: Any = None
        self._before: npt.NDArray[np.uint8] | None
        self._returns: npt.NDArray[np.float64]
        self._survival: npt.NDArray[np.float64]
        self._start()

    def step(self, temperature: float) -> None:
        """Continue all branches by one step, or start them again."""
        if self._step == self._steps:
            self._start()
            return
        key = fold(self._root, self._step)
        self._state, prediction = self._world.model.step(
            self._state, self._actions, np.float32(temperature), key, self._before
        )
        self._step += 1
        self._frames, self._vectors = self._world.frames_of(prediction), arrays_of(prediction)
        self._before = self._frames if self._world.model.spec.copies else None
        self._returns += np.asarray(prediction.reward) * self._survival
        self._survival = self._survival * np.asarray(prediction.continuation)

    def snapshot(self) -> BranchesSnapshot:
        """Return the branches at their present step."""
        branches = tuple(
            Branch(
                label,
                None if self._frames is None else self._frames[i],
                float(self._returns[i]),
                float(self._survival[i]),
                row_of(self._vectors, i),
            )
            for i, label in enumerate(self._labels)
        )
        return BranchesSnapshot(branches, self._step, self._steps)

    def _start(self) -> None:
        rows = len(self._actions)
        self._state = self._world.model.repeat(self._world.tracker.state, rows)
        self._step = 0
        self._returns, self._survival = np.zeros(rows), np.ones(rows)
        self._frames, self._vectors = self._world.read(self._state, rows)
        self._before = self._world.newest_real(rows)
