"""The audience of a session: its viewers, one of whom plays.

The inbox of a session's thread: events that pages have sent, and whether anybody plays.
"""

from __future__ import annotations

import asyncio
import threading
import time
from collections import deque
from typing import Any, NamedTuple

from worldmodels.player.session.events import AbsenceEvent, AxisEvent, InputEvent, KeyEvent, StickEvent
from worldmodels.player.session.loop import Due
from worldmodels.player.web.scene import LEAST, Scene

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


IN_FLIGHT = 2
"""Scenes that a page may have been sent and not yet drawn: a slow one gets fewer of them, and always the newest."""
FAST, SLOW = 0.15, 0.3
"""Seconds from sending a scene to its receipt: below the first, messages may be larger, above the second not so large.
"""
LARGEST_LIMIT = LEAST << 10
SMALL = 16 * LEAST
"""Pixels of all frames that sketches of `LEAST` bytes show well: sixteen branches are too many."""
REST = 0.3
"""Seconds without a new scene after which a fast line gets exact frames instead of sketches."""


class Sent(NamedTuple):
    """A scene on its way to a page: the bytes of its message, when it was sent, and whether that is the first time."""

    scene: Scene
    size: int
    at: float
    is_new: bool


class Viewer:
    """A viewer is one connection of a page.

    Attributes:
        page: the name that the page gave itself, by which it is known again after a lost connection.
        asks: whether the viewer has requested to play.
        sent: the newest scene that it was sent.
        exact: the newest scene whose frames it has exactly.
        limit: the bytes that a message to it may have: its line carries so many within `SLOW` seconds.
        rest: the seconds without a new scene after which it is sent exact frames; None if it has them.
        in_flight: the scenes that were sent to it and not yet drawn, the oldest first.
        changed: set when there may be something to send.
    """

    def __init__(self, page: str) -> None:
        self.page, self.asks = page, False
        self.sent: Scene | None = None
        self.exact: Scene | None = None
        self.limit = LEAST
        self.rest: float | None = None
        self.in_flight: deque[Sent] = deque()
        self.changed = asyncio.Event()
        self._held: dict[InputEvent, None] = {}

    def send(self, scene: Scene, rests: bool, now: float) -> bytes | None:
        """Return the message to send now, if there is any: the newest scene, or its frames exactly if nothing moves."""
        if len(self.in_flight) >= IN_FLIGHT or (scene is self.sent and not (rests and self.rest)):
            return None
        if rests and self.rest:
            message, exact = scene.changes_since(self.sent, self.exact), True
        else:
            # Sketches of small frames are as good as people can see.
            limit = self.limit if scene.pixels > SMALL else LEAST
            message, exact = scene.message_since(self.sent, self.exact, limit)
        self.in_flight.append(Sent(scene, len(message), now, scene is not self.sent))
        whole = len(scene.changes_since(self.sent, self.exact))
        self.rest = None if exact else REST * max(1.0, whole / self.limit)
        self.sent, self.exact = scene, scene if exact else self.exact
        return message

    def hold(self, event: InputEvent) -> None:
        """Remember a held key, axis or stick, to release it when the page is gone."""
        release = _release_of(event)
        if release is not None:
            self._held.pop(release, None)
            if event != release:
                self._held[release] = None

    def let_go(self) -> list[InputEvent]:
        """Return the events that release everything held."""
        released, self._held = list(self._held), {}
        return released

    def drawn(self, number: int, now: float) -> Sent | None:
        """Take the receipt for a scene, and for all before it; return what it was sent, if it was waited for."""
        sent = None
        while self.in_flight and self.in_flight[0].scene.number <= number:
            sent = self.in_flight.popleft()
            if sent.is_new and sent.scene.number == number:
                break  # the same scene follows exactly
        self.changed.set()
        if sent is None or sent.scene.number != number:
            return None
        if now - sent.at > SLOW:
            self.limit = max(LEAST, self.limit // 2)
        elif now - sent.at < FAST and sent.size >= self.limit // 8:
            # Exact frames of a moment in which nothing moved show at once how much the line carries.
            self.limit = min(2 * max(self.limit, sent.size), LARGEST_LIMIT)
        return sent


def _release_of(event: InputEvent) -> InputEvent | None:
    """Return the event that releases another event's key, axis or stick; None if it holds none."""
    if isinstance(event, KeyEvent):
        return KeyEvent(event.key, False)
    if isinstance(event, AxisEvent):
        return AxisEvent(event.number, None)
    return StickEvent(event.number, 0.0) if isinstance(event, StickEvent) else None


class Audience:
    """The first viewer plays and the others watch, until the player hands over or leaves.

    A page that reconnects plays again, unless another viewer plays by then.

    Args:
        inbox: gets the events of the viewer who plays.
    """

    def __init__(self, inbox: Inbox) -> None:
        self._inbox = inbox
        self._viewers: list[Viewer] = []
        self._player: Viewer | None = None
        self._last_page = ""

    @property
    def viewers(self) -> tuple[Viewer, ...]:
        """All viewers, in the order in which they came."""
        return tuple(self._viewers)

    def join(self, viewer: Viewer) -> None:
        """Add a viewer."""
        alone = not self._viewers
        self._viewers.append(viewer)
        if self._player is None and (alone or viewer.page == self._last_page):
            self._let_play(viewer)
        self._tell_all()

    def leave(self, viewer: Viewer) -> None:
        """Remove a viewer, if it is still there; the session waits if this viewer played."""
        if viewer in self._viewers:
            self._viewers.remove(viewer)
        if viewer is self._player:
            self._let_play(None)
        self._tell_all()

    def take(self, viewer: Viewer, event: InputEvent) -> None:
        """Take an event of the viewer who plays; events of other viewers are ignored."""
        if viewer is self._player:
            viewer.hold(event)
            self._inbox.put(event)

    def release(self, viewer: Viewer) -> None:
        """Release everything that a viewer holds."""
        for event in viewer.let_go():
            self._inbox.put(event)

    def ask(self, viewer: Viewer) -> None:
        """Give a viewer control if nobody plays; otherwise add or withdraw its request to play."""
        if self._player is None:
            self._let_play(viewer)
        elif viewer is not self._player:
            viewer.asks = not viewer.asks
        self._tell_all()

    def hand_over(self, viewer: Viewer) -> None:
        """If `viewer` is the player, hand control to the first viewer who requested it, otherwise to any other
        viewer."""
        others = [other for other in self._viewers if other is not viewer]
        if viewer is self._player and others:
            self._let_play(next((other for other in others if other.asks), others[0]))
            self._tell_all()

    def plays(self, viewer: Viewer) -> bool:
        """Return whether a viewer plays."""
        return viewer is self._player

    def role(self, viewer: Viewer) -> dict[str, Any]:
        """Return the role of a viewer, and the numbers of the others."""
        return {
            "plays": viewer is self._player,
            "asks": viewer.asks,
            "played": self._player is not None,
            "watching": len(self._viewers) - (self._player is not None),
            "asking": sum(other.asks for other in self._viewers),
        }

    def _let_play(self, viewer: Viewer | None) -> None:
        if self._player is not None:
            self.release(self._player)
        self._player = viewer
        if viewer is not None:
            viewer.asks, self._last_page = False, viewer.page
        self._inbox.set_played(viewer is not None)

    def _tell_all(self) -> None:
        for viewer in self._viewers:
            viewer.changed.set()
