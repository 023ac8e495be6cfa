"""The discrete latents of a model's newest step: which are held, and how the step is drawn again with others."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt

from worldmodels.core.seeding import Key
from worldmodels.core.specs import ActionSpec
from worldmodels.player.session.controls.box_controls import action_rows
from worldmodels.player.session.worlds.state_tracker import StateTracker

if TYPE_CHECKING:
    from worldmodels.imagination.model_view import ModelView, Prediction

FREE = -1
"""The class of a group that is drawn and not held; in an observed state, of one that has no class."""


class StepLatents(NamedTuple):
    """The latents of one step, in G groups of K classes each."""

    probabilities: npt.NDArray[np.float32]
    """float32 (G, K): what the model expected before it knew."""
    classes: tuple[int, ...]
    """The class of each group; `FREE` where no latents led to the state."""


class Origin(NamedTuple):
    """The origin of a state: the step that led there, from which it can be drawn again."""

    state: Any
    """The state before the step, of one row."""
    actions: npt.NDArray[Any]
    """The action of that row; -1 or numbers of 0 where none led to an episode's first state."""
    painted: npt.NDArray[np.uint8] | None
    """The frame before it, uint8 (1, H, W, C), for a model that copies."""


class LatentSteps:
    """Steps of one row of a `models.api.LatentModel`; the newest step can be drawn again.

    Attributes:
        held: the class at which each group is held in all steps to come; `FREE` for one that is drawn.
        changed: a step since the last observed state was drawn again with other classes.
        draws: the number of repeated draws of a step, which distinguishes them.
    """

    def __init__(self, model: ModelView, groups: int) -> None:
        self._model = model
        self.held: tuple[int, ...] = (FREE,) * groups
        self.changed, self.draws = False, 0
        self._origin: Origin
        self._observed: Any = None  # the state, where it was observed and not drawn
        self._latents: Any = None  # tensors of the model; None until somebody wants to know those of an observed state

    @property
    def now(self) -> StepLatents:
        """The latents of the newest step."""
        if self._latents is None:
            self._latents = self._model.observed_latents(self._origin.state, self._origin.actions, self._observed)
        probabilities, classes = (np.asarray(part)[0] for part in self._latents)
        return StepLatents(probabilities, tuple(classes.tolist()))

    @property
    def is_observed(self) -> bool:
        """Whether the newest state is one that was observed."""
        return self._observed is not None

    def observed(self, tracker: StateTracker, painted: npt.NDArray[np.uint8] | None) -> None:
        """Take the state that a tracker has observed; held groups apply to the steps after it."""
        spec = tracker.representation.spec.action
        actions = _no_action(spec) if tracker.action is None else action_rows(tracker.action, 1, spec)
        self._origin, self._observed = Origin(tracker.before, actions, painted), tracker.state
        self._latents, self.changed = None, False

    def step(
        self, state: Any, actions: npt.NDArray[Any], temperature: np.float32, key: Key, painted: Any = None
    ) -> tuple[Any, Prediction]:
        """Do the step of `ModelView.step`, with the held groups."""
        self._origin = Origin(state, actions, painted)
        return self._draw(self.held, temperature, key)

    def draw_again(self, classes: Sequence[int], temperature: np.float32, key: Key) -> tuple[Any, Prediction]:
        """Draw the newest step again with these classes; `FREE` classes are drawn. A held group that changes is held at
        its new class."""
        before = self.now.classes
        drawn = self._draw(classes, temperature, key)
        self.held = tuple(
            held if held == FREE or new == old else new
            for held, old, new in zip(self.held, before, self.now.classes, strict=True)
        )
        self.changed, self.draws = True, self.draws + 1
        return drawn

    def hold(self, group: int) -> int:
        """Hold a group at the class that it has, or let it go; return the class, or `FREE`."""
        kept = FREE if self.held[group] != FREE else self.now.classes[group]
        self.held = (*self.held[:group], kept, *self.held[group + 1 :])
        return kept

    def next_likely(self, group: int) -> int:
        """Return the class after a group's own in the order of their probabilities; after the last, the first."""
        now = self.now
        order = np.argsort(-now.probabilities[group], kind="stable").tolist()
        return int(order[(order.index(now.classes[group]) + 1) % len(order)])

    def save(self) -> tuple[Any, ...]:
        """Return the state for `load`, from which play continues exactly."""
        return self.held, self.changed, self.draws, self._origin, self._observed, self._latents

    def load(self, saved: tuple[Any, ...]) -> None:
        """Return to a state of `save`."""
        self.held, self.changed, self.draws, self._origin, self._observed, self._latents = saved

    def _draw(self, held: Sequence[int], temperature: np.float32, key: Key) -> tuple[Any, Prediction]:
        origin, classes = self._origin, np.array([held], np.int32)
        arguments = origin.state, origin.actions, temperature, key, classes, origin.painted
        state, prediction, self._latents = self._model.step_latents(*arguments)
        self._observed = None
        return state, prediction


def _no_action(spec: ActionSpec) -> npt.NDArray[Any]:
    return action_rows(-1 if spec.is_discrete else 0, 1, spec)
