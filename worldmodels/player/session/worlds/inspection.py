"""The inspection of a session's models by many samples: branches from the real state, and the map of uncertainty.

The branches of a model from one real state: other samples of the same action, or one branch for each action.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, Protocol

import numpy as np
import numpy.typing as npt

from worldmodels.core.seeding import fold
from worldmodels.player.session.controls.box_controls import BoxControls, action_rows
from worldmodels.player.session.controls.keys import Controls
from worldmodels.player.session.settings import Settings
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
        self._state = self._world.model.repeat(self._world.seen.state, rows)
        self._step = 0
        self._returns, self._survival = np.zeros(rows), np.ones(rows)
        self._frames, self._vectors = self._world.read(self._state, rows)
        self._before = self._world.newest_real(rows)


Notify = Callable[[str], None]
"""A function that shows a message to people."""


class PendingWork(NamedTuple):
    """Work that takes long and has to be done before the next tick."""

    status: str
    """A text for people."""
    do: Callable[[], None]


class KeptCheckpoints(Protocol):
    """The kept checkpoints of a session's first run, one of which is played."""

    step: int
    """The step of the one that is played."""

    def steps(self) -> list[int]:
        """Return the steps of all that are kept now, ascending."""

    def use(self, step: int) -> None:
        """Give model and policy the weights of another one; raise CheckpointError if it is damaged or gone."""


class Inspection:
    """The inspection continues the first model in branches, and measures the uncertainty of all of them.

    Attributes:
        branches: the branches that are shown, if any.
        pending: the compilation that the first use of many samples needs.
    """

    def __init__(
        self,
        models: Sequence[ModelWorld],
        controls: Controls | BoxControls,
        settings: Settings,
        notify: Notify,
    ) -> None:
        self._models, self._controls = models, controls
        self._settings, self._notify = settings, notify
        self.branches: Branches | None = None
        self.pending: PendingWork | None = None
        self._by_action = False
        self._compiled = False

    def next_branches(self, action: Action) -> None:
        """Show branches of `action` with other samples, then branches of each action, then none."""
        if self.branches and self._by_action:
            self.branches = None
            return
        self._by_action = self.branches is not None
        self._after_compiling(self._branch_by_action if self._by_action else lambda: self._branch_by_sample(action))

    def toggle_uncertainty(self) -> None:
        """Measure the uncertainty of the models from now on, or stop that."""
        wanted = not self._models[0].measures_uncertainty

        def change() -> None:
            for model in self._models:
                model.measures_uncertainty = wanted
                model.forget_uncertainty()

        self._after_compiling(change)
        self._notify("heat map of the differences between samples" if wanted else "no more heat map")

    def change_checkpoint(self, kept: KeptCheckpoints | None, places: int, used: Callable[[int], None]) -> None:
        """Give the first run the weights of an earlier or a later checkpoint, and call `used` with its step."""
        later = [step for step in kept.steps() if (step - kept.step) * places > 0] if kept else []
        if kept is None or not later:
            self._notify(f"no {'later' if places > 0 else 'earlier'} checkpoint is kept")
            return
        step, use = min(later) if places > 0 else max(later), kept.use

        def change() -> None:
            use(step)
            used(step)
            self.branches = None
            self._notify(f"the model as it was at step {step:,}")

        self.pending = PendingWork(f"Loading the model of step {step:,}", change)

    def do_pending(self) -> None:
        """Do the work that is pending, if any."""
        if self.pending:
            self.pending.do()
            self.pending = None

    def _branch_by_sample(self, action: Action) -> None:
        labels = [str(number + 1) for number in range(NUM_SAMPLES)]
        self._branch([action] * NUM_SAMPLES, labels, f"samples, all under: {self._controls.name(action)}")

    def _branch_by_action(self) -> None:
        actions, names = zip(*self._controls.held_actions(), strict=True)
        self._branch(actions, names, "one branch for each action, held")

    def _branch(self, actions: Sequence[Action], labels: Sequence[str], notice: str) -> None:
        self.branches = Branches(self._models[0], actions, labels, self._settings.branch_steps)
        self._notify(notice)

    def _after_compiling(self, work: Callable[[], None]) -> None:
        """Do work that needs many samples at once, for which the models are compiled the first time."""
        if self._compiled:
            work()
            return

        def compile_first() -> None:
            for model in self._models:
                model.warm_up_samples()
            self._compiled = True
            work()

        self.pending = PendingWork("Compiling many samples", compile_first)
