"""The inbox of a session's thread: events that pages have sent, and whether anybody plays."""

from __future__ import annotations

import threading
import time

from worldmodels.player.session.events import AbsenceEvent, InputEvent
from worldmodels.player.session.loop import Due

CAPACITY = 1000
"""Events that can wait; more than any person presses within the longest tick, so further ones are dropped."""
LONGEST = 60.0
"""Seconds of one wait at most, since the system cannot wait forever."""
GONE = "paused: no viewer plays"


class Inbox:
    """The inbox takes events in any thread and is the source of events of one, which it wakes.

    Attributes:
        closed: no event will come any more.
        played: a person is there to play.
    """

    def __init__(self) -> None:
        self.closed = self.played = False
        self._left = False
        """Whether the person who played has left since the last call of `take`, without a successor."""
        self._events: list[InputEvent] = []
        self._changed = threading.Condition()

    def put(self, event: InputEvent) -> None:
        """Append one event."""
        with self._changed:
            if len(self._events) < CAPACITY:
                self._events.append(event)
                self._changed.notify_all()

    def set_played(self, played: bool) -> None:
        """Say whether a person is there to play."""
        with self._changed:
            self._left = not played and (self.played or self._left)
            self.played = played
            self._changed.notify_all()

    def close(self) -> None:
        """Close the inbox, and end every wait."""
        with self._changed:
            self.closed = True
            self._changed.notify_all()

    def take(self, due: Due) -> list[InputEvent]:
        """Wait until a person plays and `due` has come, and return the events since the last call.

        If the person who played leaves, the wait ends, and the last event is an absence.
        """
        with self._changed:
            self._changed.wait_for(lambda: self.played or self.closed or self._left)
            while self.played and not self.closed:
                left = due(any(event.pressed for event in self._events)) - time.perf_counter()
                if left <= 0:
                    break
                self._changed.wait(min(left, LONGEST))
            events = [*self._events, AbsenceEvent(GONE)] if self._left else self._events
            self._events, self._left = [], False
            return events
