"""The inbox of a session's thread: events that pages have sent, and whether anybody plays."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable

from worldmodels.player.session.session import InputEvent

CAPACITY = 1000
"""Events that can wait; more than any person presses within the longest tick, so further ones are dropped."""


LONGEST = 60.0
"""Seconds of one wait, since the system cannot wait forever; after it, one looks again."""


class Inbox:
    """The inbox takes events in any thread and gives them to one, which it wakes.

    Attributes:
        closed: nothing comes any more.
        played: somebody is there to play.
    """

    def __init__(self) -> None:
        self.closed = self.played = False
        self._events: list[InputEvent] = []
        self._changed = threading.Condition()

    def put(self, event: InputEvent) -> None:
        """Append one event."""
        with self._changed:
            if len(self._events) < CAPACITY:
                self._events.append(event)
                self._changed.notify_all()

    def set_played(self, played: bool) -> None:
        """Say whether somebody is there to play."""
        with self._changed:
            self.played = played
            self._changed.notify_all()

    def close(self) -> None:
        """Let whoever waits wait no longer."""
        with self._changed:
            self.closed = True
            self._changed.notify_all()

    def wait_for_player(self) -> None:
        """Wait until somebody plays."""
        with self._changed:
            self._changed.wait_for(lambda: self.played or self.closed)

    def take(self, due: Callable[[bool], float]) -> list[InputEvent]:
        """Wait until the time that `due` gives, or until nobody plays, and return the events since the last call.

        Args:
            due: gets whether a key went down, and returns a time on the clock of `time.perf_counter`.
        """
        with self._changed:
            while self.played and not self.closed:
                left = due(any(event.pressed for event in self._events)) - time.perf_counter()
                if left <= 0:
                    break
                self._changed.wait(min(left, LONGEST))
            events, self._events = self._events, []
            return events
