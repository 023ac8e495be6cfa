"""The inspection of a session's models by many samples: branches from the real state, and the map of uncertainty."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from worldmodels.player.session.controls.box_controls import BoxControls
from worldmodels.player.session.controls.keys import Controls
from worldmodels.player.session.settings import Settings
from worldmodels.player.session.worlds.branches import Branches
from worldmodels.player.session.worlds.model_world import NUM_SAMPLES, ModelWorld
from worldmodels.recordings.action_recording import Action

Notify = Callable[[str], None]
"""A function that shows a message to people."""


class PendingWork(NamedTuple):
    """Work that takes long and has to be done before the next tick."""

    status: str
    """A text for people."""
    do: Callable[[], None]


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
