"""The log of a session, its actions and events without those that a rewind has undone, and its episode's counters."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

from worldmodels.core.specs import Observation
from worldmodels.player.session.snapshot import Totals
from worldmodels.recordings.action_recording import Action, RecordedEpisode, frame_hash, kept_hashes


@dataclass(frozen=True)
class Counters:
    """The counters of the episode that is played, and the totals of those before."""

    action: Action
    """The last action."""
    episode: int = 0
    """The number of the episode, from 1."""
    step: int = 0
    since_put_back: int = 0
    """Steps that the models have predicted since they were put back."""
    real_return: float = 0.0
    model_returns: tuple[float, ...] = ()
    models_ended: tuple[bool, ...] = ()
    """Whether each model has predicted the end since it was put back."""
    totals: Totals = Totals()
    drawn: bool = False
    """Whether the models were put on a frame that a person has changed."""


class _Entry(NamedTuple):
    """One thing that happened, linked to the entry before it, so that saved states share their past."""

    before: _Entry | None
    kind: str
    """"episode", "action", or any other text for people."""
    value: Any
    hashed: str = ""
    """The hash of the frame that it led to and of those before it in the episode, if it led to one."""


class SessionLog:
    """The log is a chain of entries and holds the last one."""

    def __init__(self) -> None:
        self._last: _Entry | None = None
        self._hashed = ""

    def episode(self, observation: Observation) -> None:
        """Log the beginning of an episode."""
        self._hashed = frame_hash(observation)
        self._last = _Entry(self._last, "episode", None, self._hashed)

    def action(self, action: Action, observation: Observation) -> None:
        """Log an action, and the frame to which it led."""
        self._hashed = frame_hash(observation, self._hashed)
        self._last = _Entry(self._last, "action", action, self._hashed)

    def event(self, kind: str, value: Any = None) -> None:
        """Log anything else that is worth knowing."""
        self._last = _Entry(self._last, kind, value)

    def save(self) -> Any:
        """Return the state for `load`."""
        return self._last, self._hashed

    def load(self, saved: Any) -> None:
        """Forget everything after `save`."""
        self._last, self._hashed = saved

    def episodes(self) -> list[RecordedEpisode]:
        """Return the whole log as the episodes of a recording."""
        entries = []
        entry = self._last
        while entry is not None:
            entries.append(entry)
            entry = entry.before
        return [_recorded_episode(episode) for episode in _split(entries[::-1])]


def _split(entries: list[_Entry]) -> list[list[_Entry]]:
    """Split entries into episodes, each with the entry of its beginning."""
    episodes: list[list[_Entry]] = []
    for entry in entries:
        if entry.kind == "episode":
            episodes.append([])
        episodes[-1].append(entry)
    return episodes


def _recorded_episode(entries: list[_Entry]) -> RecordedEpisode:
    actions: list[Action] = []
    events: list[list[Any]] = []
    for entry in entries:
        if entry.kind == "action":
            actions.append(entry.value)
        elif entry.kind != "episode":
            events.append([len(actions), entry.kind, *([] if entry.value is None else [entry.value])])
    return RecordedEpisode(actions, kept_hashes([entry.hashed for entry in entries if entry.hashed]), events)
