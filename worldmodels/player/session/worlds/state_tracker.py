"""The state of a representation that follows the real frames."""

from __future__ import annotations

import copy
from typing import TYPE_CHECKING, Any

import numpy as np

from worldmodels.core.seeding import Streams, fold
from worldmodels.core.specs import Observation
from worldmodels.player.session.controls.box_controls import action_rows
from worldmodels.player.session.worlds.frames import one_row
from worldmodels.recordings.action_recording import Action

if TYPE_CHECKING:
    from worldmodels.models.api import Representation


class StateTracker:
    """A tracker gives a representation each real frame as it comes, and holds the state that results."""

    def __init__(self, representation: Representation, streams: Streams) -> None:
        self.representation = representation
        self._key = streams.key("player/watch")
        self.steps = 0
        """Frames observed so far, in all episodes together."""
        self.state: Any = None
        self.before: Any = None
        """The state before the last frame; the initial one at the first frame of an episode."""
        self.action: Action | None = None
        """The action that led to the last frame; None at the first frame of an episode."""
        self.frames: tuple[Any, ...] = ()
        """The last two frames of the episode, the newest last; after its first, that one alone. Without images these
        are whole observations."""

    def reset(self, observation: Observation) -> None:
        """Begin a real episode with its first frame."""
        self.frames = ()
        self.action = None
        self._observe(observation, action=0, is_first=True, state=self.representation.initial(1))

    def step(self, action: Action, observation: Observation) -> None:
        """Observe the frame to which `action` really led."""
        self.action = action
        self._observe(observation, action, is_first=False, state=self.state)

    def instead(self, observation: Observation) -> StateTracker:
        """Return a tracker that has seen another last frame; this one does not change."""
        other = copy.copy(self)
        other.steps, other.frames = self.steps - 1, self.frames[:-1]
        is_first = self.action is None
        other._observe(observation, 0 if self.action is None else self.action, is_first, self.before)
        return other

    def save(self) -> tuple[Any, ...]:
        """Return the state for `load`, from which play continues exactly."""
        return self.steps, self.state, self.frames, self.before, self.action

    def load(self, saved: tuple[Any, ...]) -> None:
        """Return to a state of `save`."""
        self.steps, self.state, self.frames, self.before, self.action = saved

    def _observe(self, observation: Observation, action: Action, is_first: bool, state: Any) -> None:
        self.steps += 1
        self.before = state
        spec = self.representation.spec
        self.frames = (*self.frames[-1:], spec.image_of(observation))
        key, actions = fold(self._key, self.steps), action_rows(action, 1, spec.action)
        self.state = self.representation.observe(state, one_row(observation), actions, np.array([is_first]), key)
