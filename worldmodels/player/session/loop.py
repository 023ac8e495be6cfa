"""The loop of the player: it ticks a session with a source's events and shows each tick in a sink.

The timing of ticks, which come at a steady rate or earlier after a key, and of the pictures after keys.
"""

from __future__ import annotations

import math
import time
from collections import deque
from collections.abc import Callable, Iterator
from typing import Protocol

from worldmodels.player.session.controls.key_script import KeyScript
from worldmodels.player.session.controls.key_table import Command
from worldmodels.player.session.events import InputEvent, KeyEvent
from worldmodels.player.session.session import Session

AWAITED_INTERVAL = 0.25
"""Seconds from one look for loaded models to the next, while nothing else happens."""
AVERAGED_TICKS = 30
"""Ticks over which the latency is averaged."""


class TickClock:
    """Ticks are due at equal distances; a key brings the next one forward, by up to half of a distance.

    The later ticks keep their times, so more keys make no faster play.

    Args:
        now: the time in seconds, of any steady clock; the first tick is due then.
    """

    def __init__(self, now: float) -> None:
        self._due = now

    def ticked(self, now: float, rate: float) -> None:
        """Count a tick that begins now, at this rate a second. A late tick delays all later ones."""
        self._due = max(self._due + 1 / rate, now)

    def next(self, pressed: bool, rate: float) -> float:
        """Return the time at which the next tick begins.

        Args:
            pressed: a key has gone down since the last one.
        """
        return self._due - 0.5 / rate if pressed else self._due


class LatencyMeter:
    """The meter averages how long ticks take, from taking their keys to showing their picture."""

    def __init__(self) -> None:
        self._seconds: deque[float] = deque(maxlen=AVERAGED_TICKS)
        self._rate = 1.0

    def add(self, seconds: float, rate: float) -> None:
        """Add one more tick, at this rate a second."""
        self._seconds.append(seconds)
        self._rate = rate

    @property
    def text(self) -> str:
        """The latency for people; empty before the first tick."""
        if not self._seconds:
            return ""
        mean = sum(self._seconds) / len(self._seconds)
        return f"key to picture {1000 * mean_latency(mean, self._rate):.0f} ms"


def mean_latency(work: float, rate: float) -> float:
    """Return the mean seconds from a key, pressed at a random time, to its picture.

    The first tick after a key takes it. This tick begins at the earliest half a tick after the last one, and not before
    the last one's work is done.

    Args:
        work: seconds from the beginning of a tick to its picture.
    """
    period = max(1 / rate, work)
    earliest = max(period / 2, work)
    return earliest**2 / (2 * period) + work


Report = Callable[[str], None]
"""A function that shows people the present work."""
Prepare = Callable[[Report], Session]
"""A function that builds a session, which may take a minute."""
Due = Callable[[bool], float]
"""A function from whether a key has gone down to the time of the next tick, on the clock `time.perf_counter`."""


class EventSource(Protocol):
    """A source of events: a window, the pages of a browser, or nothing at all."""

    closed: bool
    """Whether no event will come any more, because the window or the server was closed."""

    def take(self, due: Due) -> list[InputEvent]:
        """Wait until `due`, and return the events since the last call; return earlier if a person leaves."""


class SnapshotSink(Protocol):
    """A sink for what a session shows: a window, the pages of a browser, or nothing at all."""

    def show_ready(self, session: Session) -> None:
        """Say that the session is ready and that a key begins it."""

    def do_pending(self, session: Session) -> None:
        """Do the session's pending work while its status is shown; return earlier if a person leaves."""

    def show(self, session: Session, changed: bool, began: float | None) -> None:
        """Show the session after a tick.

        Args:
            changed: whether there is something new to see.
            began: the time at which the tick began; None before the first tick.
        """


def play(
    session: Session,
    source: EventSource,
    sink: SnapshotSink,
    script: KeyScript,
    ticks: int | None = None,
    waits_for_key: bool = False,
) -> Iterator[bool]:
    """Tick the session, and yield after each tick whether there is something new to see, until a person leaves.

    Args:
        script: its events are added to those of the source.
        ticks: the number of ticks after which play ends; None for no end.
        waits_for_key: the first tick waits until a key goes down.
    """
    events = _wait_for_key(session, source, sink) if waits_for_key else source.take(_at_once)
    sink.show(session, True, None)
    clock, tick = TickClock(time.perf_counter()), 0
    while not (session.quit or source.closed or tick == ticks):
        rate = session.settings.rate
        events += source.take(lambda pressed: clock.next(pressed, rate))  # noqa: B023  called at once
        if session.pending and not source.closed:
            sink.do_pending(session)
        if source.closed:
            return
        joined, began = session.welcome(), time.perf_counter()
        clock.ticked(began, session.settings.rate)
        changed = session.tick([*events, *script.get(tick, ())]) or joined
        sink.show(session, changed, began)
        yield changed
        tick, events = tick + 1, []


def _wait_for_key(session: Session, source: EventSource, sink: SnapshotSink) -> list[InputEvent]:
    """Return the events of the key that begins; none if that key asks for help or a pause."""
    sink.show_ready(session)
    while not source.closed:
        soon = time.perf_counter() + AWAITED_INTERVAL if session.awaits else math.inf
        events = source.take(lambda pressed: -math.inf if pressed else soon)  # noqa: B023  called at once
        if session.awaits:
            session.welcome()
            sink.show_ready(session)
        key = next((event.key for event in events if isinstance(event, KeyEvent) and event.pressed), None)
        if key is not None:
            only_begins = session.controls.keys.command(key) in (Command.HELP, Command.PAUSE)
            return [] if only_begins else events
    return []


def _at_once(pressed: bool) -> float:
    return -math.inf


class Unattended:
    """The source and the sink of a session without a window: no person plays or looks, and no tick waits."""

    closed = False

    def take(self, due: Due) -> list[InputEvent]:
        """Return no events, at once."""
        return []

    def show_ready(self, session: Session) -> None:
        """Show nothing."""

    def do_pending(self, session: Session) -> None:
        """Do the session's pending work."""
        session.do_pending()

    def show(self, session: Session, changed: bool, began: float | None) -> None:
        """Show nothing."""
