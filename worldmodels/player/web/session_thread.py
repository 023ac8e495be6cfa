"""The session in a thread of its own: it ticks there, and each moment becomes a scene for the pages."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from worldmodels.player.session.controls.key_script import KeyScript
from worldmodels.player.session.controls.keys import Command, KeyEvent
from worldmodels.player.session.loading import Prepare, Report
from worldmodels.player.session.options import PlayOptions
from worldmodels.player.session.session import InputEvent, Session
from worldmodels.player.session.timing import LatencyMeter, TickClock
from worldmodels.player.view.capture import FixedPicture, VideoRecorder, pixels, save_pictures
from worldmodels.player.view.painter import Painter
from worldmodels.player.web.guide_parts import choices_part, guide_part, pad_part, touch_part
from worldmodels.player.web.inbox import Inbox
from worldmodels.player.web.page_json import page_json
from worldmodels.player.web.scene import Scene
from worldmodels.player.web.snapshot_parts import frames_of, parts_of

READY = "Ready: press a key to begin"
GONE = "nobody is there to play: paused"


class SessionThread:
    """The work of that thread: neither games nor models nor pictures ever keep the server from answering.

    Args:
        painter: draws what goes into files; the pages draw for themselves.
        script: its keys join those of the person.
        show: called with each new scene, in the session's thread.

    Attributes:
        inbox: takes events, in any thread.
        latency: averages the seconds from a tick to its receipt.
        session: None until it is ready.
    """

    def __init__(
        self,
        painter: Painter,
        options: PlayOptions,
        zoom: int,
        script: KeyScript,
        recorder: VideoRecorder | None,
        show: Callable[[Scene], object],
    ) -> None:
        self._painter, self._options, self._script = painter, options, script
        self._recorder, self._show = recorder, show
        self._film, self._pictures = FixedPicture(painter, zoom), 0
        self._fixed = {"guide": page_json(guide_part(painter.guide))}
        self._last: Scene | None = None
        self.inbox = Inbox()
        self.latency = LatencyMeter()
        self.session: Session | None = None

    def run(self, prepare: Prepare, report: Report) -> Session:
        """Prepare the session, play until somebody quits or the inbox is closed, and return it.

        Args:
            report: gets each status, and may raise an error to end the preparation.
        """

        def tell(status: str) -> None:
            report(status)
            self._publish({"status": {"kind": "loading", "text": status}}, {})

        tell("Loading")
        session = self.session = prepare(tell)
        self._fixed["touch"] = page_json(touch_part(session.controls))
        self._fixed["pad"] = page_json(pad_part(session.controls))
        self._fixed["choices"] = page_json(choices_part(session.settings))
        first = self._wait_to_begin(session)
        if not self.inbox.closed:
            self._play(session, first)
        return session

    def _wait_to_begin(self, session: Session) -> list[InputEvent]:
        """Wait for who plays, and for a key, unless a script or the policy plays; return the events of that key."""
        self.inbox.wait_for_player()
        if self._script or self._options.policy:
            return []
        self._show_session(session, "ready", READY)
        while not self.inbox.closed:
            self.inbox.wait_for_player()
            events = self.inbox.take(lambda pressed: 0.0 if pressed else float("inf"))
            pressed = next((event for event in events if event.pressed), None)
            if pressed is not None:
                of_help = self._painter.guide.keys.commands[Command.HELP]
                asks_for_help = isinstance(pressed, KeyEvent) and pressed.key in of_help
                return [] if asks_for_help else events
        return []

    def _play(self, session: Session, first: list[InputEvent]) -> None:
        """Tick until a person leaves, or the number of ticks asked for is reached."""
        tick, events = 0, first
        self._show_session(session)
        clock = TickClock(time.perf_counter())
        while not (session.quit or tick == self._options.ticks):
            rate = session.settings.rate
            events += self.inbox.take(lambda pressed: clock.next(pressed, rate))  # noqa: B023  called at once
            if self.inbox.closed:
                return
            if not self.inbox.played:
                self._wait_for_player(session)
                continue
            if session.pending:
                self._show_session(session, "working", session.pending.status)
                session.do_pending()
            start = time.perf_counter()
            clock.ticked(start, session.settings.rate)
            changed = session.tick([*events, *self._script.get(tick, ())])
            # Nothing is sent while nothing changes: a paused player costs next to nothing.
            if changed:
                self._show_session(session, began=start)
            self._write_pictures(session)
            tick, events = tick + 1, []

    def _wait_for_player(self, session: Session) -> None:
        session.pause(GONE)
        self._show_session(session)
        self.inbox.wait_for_player()

    def _write_pictures(self, session: Session) -> None:
        """Keep what the window would have shown, in the video and where pictures were asked for."""
        wanted = session.pictures > self._pictures
        if self._recorder is None and not wanted:
            return
        surface = self._film.draw(session.snapshot())
        if self._recorder is not None:
            self._recorder.add(pixels(surface))
        if wanted:
            self._pictures = session.pictures
            save_pictures(Path(self._options.pictures), surface, session.snapshot())

    def _show_session(self, session: Session, kind: str = "", text: str = "", began: float = 0.0) -> None:
        snapshot = session.snapshot()
        parts = parts_of(snapshot, self._painter.source, self.latency.text, self._painter.guide.signs)
        self._publish(
            {**parts, "status": {"kind": kind, "text": text}}, frames_of(snapshot), began, session.settings.rate
        )

    def _publish(self, parts: dict[str, Any], frames: Any, began: float = 0.0, rate: float = 1.0) -> None:
        texts = {name: page_json(part) for name, part in parts.items()}
        number = self._last.number + 1 if self._last else 1
        scene = Scene(number, {**self._fixed, **texts}, frames, began, rate)
        if self._last is None or scene.differs_from(self._last):
            scene.changes_since(self._last)  # here, and not in the server's thread
            self._last = scene
            self._show(scene)
