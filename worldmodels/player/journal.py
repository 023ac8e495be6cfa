"""What was done in a session, kept so that going back to an earlier moment forgets what came after it."""

from __future__ import annotations

from typing import Any, NamedTuple

from worldmodels.player.worlds import Frame
from worldmodels.runtime.action_recording import RecordedEpisode, frame_hash, kept_hashes


class _Note(NamedTuple):
    """One thing that happened, and all that happened before it: moments share their past."""

    before: _Note | None
    what: str
    """"episode", "action", or anything else for people."""
    value: Any
    hashed: str = ""
    """Of the frame that it led to and of those before it in the episode, if it led to one."""


class Journal:
    """Notes of a session."""

    def __init__(self) -> None:
        self._last: _Note | None = None
        self._hashed = ""

    def episode(self, observation: Frame) -> None:
        """An episode begins."""
        self._hashed = frame_hash(observation)
        self._last = _Note(self._last, "episode", None, self._hashed)

    def action(self, action: int, observation: Frame) -> None:
        """An action, and where it led."""
        self._hashed = frame_hash(observation, self._hashed)
        self._last = _Note(self._last, "action", action, self._hashed)

    def event(self, what: str, value: Any = None) -> None:
        """Something else that is worth knowing."""
        self._last = _Note(self._last, what, value)

    def save(self) -> Any:
        """What `load` needs to come back here."""
        return self._last, self._hashed

    def load(self, moment: Any) -> None:
        """Forget what came after `save`."""
        self._last, self._hashed = moment

    def episodes(self) -> list[RecordedEpisode]:
        """All that was noted, for an action file."""
        notes = []
        note = self._last
        while note is not None:
            notes.append(note)
            note = note.before
        return [_played(episode) for episode in _split(notes[::-1])]


def _split(notes: list[_Note]) -> list[list[_Note]]:
    """Into episodes, each with the note of its beginning."""
    episodes: list[list[_Note]] = []
    for note in notes:
        if note.what == "episode":
            episodes.append([])
        episodes[-1].append(note)
    return episodes


def _played(notes: list[_Note]) -> RecordedEpisode:
    actions: list[int] = []
    events: list[list[Any]] = []
    for note in notes:
        if note.what == "action":
            actions.append(note.value)
        elif note.what != "episode":
            events.append([len(actions), note.what, *([] if note.value is None else [note.value])])
    return RecordedEpisode(actions, kept_hashes([note.hashed for note in notes if note.hashed]), events)
