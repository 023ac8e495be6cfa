"""A real world whose steps were recorded: they are reality as long as the actions are the recorded ones."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from worldmodels.core.specs import Observation
from worldmodels.core.types import Batch
from worldmodels.player.session.controls.box_controls import action_of
from worldmodels.player.session.episodes.episodes_snapshot import RecordedSnapshot
from worldmodels.player.session.snapshot import TimelineEntry
from worldmodels.player.session.worlds.frames import row_of
from worldmodels.player.session.worlds.real_world import ShownWorld
from worldmodels.recordings.action_recording import Action

if TYPE_CHECKING:
    from worldmodels.replay import ReplayReader
    from worldmodels.replay.episodes import EpisodeSpan

MOST_STEPS = 3000
"""Steps of an episode that are shown; a longer one is cut."""


class RecordedWorldState(NamedTuple):
    """The state of a recorded world at one step."""

    episode: int
    at: int
    left: bool


class EpisodeStore(Protocol):
    """A store of recorded episodes."""

    @property
    def spans(self) -> Sequence[EpisodeSpan]:
        """All of them."""

    def read(self, span: EpisodeSpan, steps: int) -> Batch:
        """Return the first steps of an episode, at most so many, as a batch of one."""


class RunEpisodes:
    """The recorded episodes in the experience of a run."""

    def __init__(self, reader: ReplayReader) -> None:
        self._reader = reader
        self.spans: Sequence[EpisodeSpan] = reader.episodes()

    def read(self, span: EpisodeSpan, steps: int) -> Batch:
        """Return the first steps of an episode, at most so many, as a batch of one."""
        return self._reader.window(span.stream, span.start, min(span.length, steps))


class RecordedWorld(ShownWorld):
    """A world that shows recorded episodes; another action than the recorded one leaves reality.

    It has the attributes of a `RealWorld`. Once it is left it is frozen: the models go on without it.

    Args:
        part: the name of the image to show, if an observation has several.

    Attributes:
        order: the episodes in the order in which they follow each other, by their numbers.
        index: the number of the episode.
        at: the step of the episode, from 0.
        actions: the recorded action at each step but the last.
    """

    human_view, counts = False, False

    def __init__(self, store: EpisodeStore, part: str | None = None) -> None:
        super().__init__(part)
        self._store = store
        self.order: Sequence[int] = range(len(store.spans))
        self.info: dict[str, Any] = {}
        self.index, self.at, self.frozen = -1, 0, False
        self.actions: list[Action] = []
        self.first: Observation
        self.reward = 0.0
        self._chosen: int | None = None
        self._observations: Any = None
        self._entries: tuple[TimelineEntry, ...] = ()

    @property
    def spans(self) -> Sequence[EpisodeSpan]:
        """All recorded episodes."""
        return self._store.spans

    @property
    def ended(self) -> bool:
        """Whether this is the last step of an episode that was played to its end."""
        return self.spans[self.index].ended and self.at == self.spans[self.index].length - 1

    @property
    def action(self) -> Action | None:
        """The action that was taken here; None where the record ends."""
        return self.actions[self.at] if self.at < len(self.actions) else None

    @property
    def context(self) -> tuple[tuple[Action, Observation], ...]:
        """The actions and observations that led from `first` to here."""
        return tuple((self.actions[i], row_of(self._observations, i + 1)) for i in range(self.at))

    @property
    def snapshot(self) -> RecordedSnapshot:
        """The episode for people."""
        return RecordedSnapshot(self.index + 1, len(self.spans), self.at, len(self.actions), self.frozen)

    def choose(self, index: int) -> None:
        """Let the next episode be the one with this number."""
        self._chosen = index

    def reset(self) -> None:
        """Begin the chosen episode, or else the one that follows in the order."""
        place = self.order.index(self.index) if self.index in self.order else -1
        following = self.order[(place + 1) % len(self.order)]
        self._open(following if self._chosen is None else self._chosen)
        self._chosen, self.frozen = None, False
        self._show(0)

    def step(self, action: Action) -> None:
        """Take one step; `frozen` says that the action was not the recorded one."""
        if action == self.action:
            self._show(self.at + 1)
        else:
            self.frozen = True

    def upcoming(self, state: object) -> tuple[TimelineEntry, ...]:
        """Return the entries of the time line for the recorded steps after a state, without forecasts.

        There are none after a state in which the record was left, and after one of another episode.
        """
        if not isinstance(state, RecordedWorldState) or state.left or state.episode != self.index:
            return ()
        return self._entries[state.at + 1 :]

    def save(self) -> RecordedWorldState:
        """Return the state for `load`."""
        return RecordedWorldState(self.index, self.at, self.frozen)

    def load(self, state: RecordedWorldState) -> None:
        """Go back to a state that `save` gave."""
        self._open(state.episode)
        self.frozen = state.left
        self._show(state.at)

    def _open(self, index: int) -> None:
        if index == self.index:
            return
        batch, self.index = self._store.read(self.spans[index], MOST_STEPS), index
        self._observations = row_of(batch.observation, 0)
        self.first = row_of(self._observations, 0)
        self.actions = [action_of(action) for action in batch.action[0][:-1]]
        self._entries = tuple(TimelineEntry(float(reward)) for reward in batch.reward[0])

    def _show(self, at: int) -> None:
        self.at, self.observation = at, row_of(self._observations, at)
        self.reward = self._entries[at].real_reward if at else 0.0


class RecordingPlayer:
    """A player that takes the recorded actions of the episode that is reality, also after a person has left it.

    Args:
        step: gives the step of the episode.
    """

    name, title, begins_episode = "recording", "the recording", False

    def __init__(self, world: RecordedWorld, step: Callable[[], int]) -> None:
        self._world, self._step = world, step

    def reset(self) -> None:
        """Do nothing: the step says where it is."""

    def advance(self) -> None:
        """Do nothing, likewise."""

    def act(self) -> Action | None:
        actions, step = self._world.actions, self._step()
        return actions[step] if step < len(actions) else None

    def save(self) -> None:
        """Return nothing, likewise."""

    def load(self, saved: None) -> None:
        """Do nothing, likewise."""
