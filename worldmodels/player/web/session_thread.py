"""The session in a thread of its own: it ticks there, and each change becomes a scene for the pages."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from worldmodels.player.session.controls.key_script import KeyScript
from worldmodels.player.session.loop import LatencyMeter, Prepare, Report, play
from worldmodels.player.session.options import PlayOptions
from worldmodels.player.session.session import Session
from worldmodels.player.view.capture import Film, VideoRecorder
from worldmodels.player.view.painter import Painter
from worldmodels.player.web.audience import Inbox
from worldmodels.player.web.guide_parts import choices_part, guide_part, pad_part, touch_part
from worldmodels.player.web.messages import page_json
from worldmodels.player.web.scene import Scene
from worldmodels.player.web.snapshot_parts import frames_of, parts_of

READY, PRESS = "Ready: press a key to begin", "Press a key to begin"


class SessionThread:
    """The work of that thread, so that games, models and pictures never block the server.

    It is the sink of the session's snapshots; their source of events is the inbox.

    Args:
        painter: draws the pictures for files; the pages draw their own.
        script: its keys are added to those of the person.
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
        self._film = Film(painter, zoom, options.pictures)
        self._fixed = {"guide": page_json(guide_part(painter.guide))}
        self._last: Scene | None = None
        self.inbox = Inbox()
        self.latency = LatencyMeter()
        self.session: Session | None = None

    def run(self, prepare: Prepare, report: Report) -> Session:
        """Prepare the session, play until a person quits or the inbox is closed, and return it.

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
        waits_for_key = not (self._script or self._options.policy)
        try:
            for changed in play(session, self.inbox, self, self._script, self._options.steps, waits_for_key):
                self._film.record(session, self._recorder, changed)
        finally:
            self._film.finish(session)
        return session

    def film(self, name: str) -> Path | None:
        """Return the path of a film that was requested by a key and is complete, in any thread."""
        return next((path for path in self._film.written if path.name == name), None)

    def show_ready(self, session: Session) -> None:
        """Let the pages ask for a key, over the rules or beside the game that begins with it."""
        kind, text = ("waiting", PRESS) if session.begins_with_game else ("ready", READY)
        self._show_session(session, kind, text)

    def do_pending(self, session: Session) -> None:
        """Do pending work while the pages show its status."""
        if session.pending:
            self._show_session(session, "working", session.pending.status)
            session.do_pending()

    def show(self, session: Session, changed: bool, began: float | None) -> None:
        """Send the pages a scene if anything has changed: a paused player costs next to nothing."""
        if changed:
            self._show_session(session, began=began or 0.0)

    def _show_session(self, session: Session, kind: str = "", text: str = "", began: float = 0.0) -> None:
        snapshot = session.snapshot()
        parts = parts_of(snapshot, self._painter.source, self.latency.text, self._painter.guide.signs)
        written = [path.name for path in self._film.written]
        parts |= {"status": {"kind": kind, "text": text}, "film": written[-1] if written else None}
        self._publish(parts, frames_of(snapshot), began, session.settings.rate)

    def _publish(self, parts: dict[str, Any], frames: Any, began: float = 0.0, rate: float = 1.0) -> None:
        entries = parts.pop("timeline", None)
        timeline = None if entries is None else [page_json(entry) for entry in entries]
        texts = {name: page_json(part) for name, part in parts.items()}
        number = self._last.number + 1 if self._last else 1
        scene = Scene(number, {**self._fixed, **texts}, frames, timeline, began, rate)
        if self._last is None or scene.differs_from(self._last):
            scene.message_since(self._last, self._last)  # here, and not in the server's thread
            self._last = scene
            self._show(scene)
