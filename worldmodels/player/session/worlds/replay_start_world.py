"""The replacement of the real world for a model that is played alone: its episodes start in the run's experience."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from worldmodels.core.seeding import Streams, fold
from worldmodels.core.specs import Observation
from worldmodels.player.session.controls.actions import action_of
from worldmodels.player.session.worlds.frames import Frame, Vectors, image_of, row_of, vectors_of
from worldmodels.player.session.worlds.real_world import RealWorldState
from worldmodels.recordings.action_recording import Action

if TYPE_CHECKING:
    from worldmodels.imagination.replay_starts import StartWindows


class ReplayStartWorld:
    """A world that gives steps of a run's experience to start from, after which only a model goes on.

    It has the attributes of a frozen `RealWorld`.
    """

    human_view, frozen = False, True
    reward, ended = 0.0, False

    def __init__(self, starts: StartWindows, streams: Streams, part: str | None = None) -> None:
        self._starts, self._root, self._part = starts, streams.key("player/starts"), part
        self._resets = 0
        self.info: dict[str, Any] = {}
        self.first: Observation
        self.observation: Observation
        self.context: tuple[tuple[Action, Observation], ...] = ()

    @property
    def frame(self) -> Frame | None:
        """The last image of the experience, from which the model goes on."""
        return self.image

    @property
    def image(self) -> Frame | None:
        """The same: nothing draws itself here."""
        return image_of(self.observation, self._part)

    @property
    def vectors(self) -> Vectors:
        """The last numbers of the experience."""
        return vectors_of(self.observation)

    @property
    def variables(self) -> Mapping[str, float]:
        """An empty mapping: experience holds no variables."""
        return {}

    def reset(self) -> None:
        """Go to the end of another window of experience."""
        self._resets += 1
        words = fold(self._root, self._resets).view(np.uint32)
        window = self._starts(1, np.random.default_rng(words))
        shown, actions = row_of(window.observation, 0), window.action[0]
        # Where the window runs across the border of two episodes, only the second one counts.
        begin = int(np.flatnonzero(window.is_first[0]).max(initial=0))
        self.first, self.observation = row_of(shown, begin), row_of(shown, -1)
        self.context = tuple((action_of(actions[i]), row_of(shown, i + 1)) for i in range(begin, len(actions) - 1))

    def step(self, action: Action) -> None:
        """Raise an error, because experience does not go on under other actions."""
        raise RuntimeError("experience does not go on under other actions")

    def save(self) -> RealWorldState:
        """Return the state for `load`."""
        resets = self._resets.to_bytes(8, "little")
        return RealWorldState(resets, self.observation, 0.0, False, {"first": self.first, "context": self.context})

    def load(self, state: RealWorldState) -> None:
        """Go back to a state that `save` gave."""
        self._resets = int.from_bytes(state.state, "little")
        self.observation = state.observation
        self.first, self.context = state.info["first"], state.info["context"]
