"""The window: keys in, pictures out, and a screen to read while the model loads."""

from __future__ import annotations

import time
from collections.abc import Sequence
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path

import pygame

from worldmodels.player.session.controls.box_controls import BoxControls
from worldmodels.player.session.controls.key_names import BEGIN_KEYS, SHIFTED, WITH_ALT
from worldmodels.player.session.controls.key_script import KeyScript
from worldmodels.player.session.controls.keys import Command, KeyEvent
from worldmodels.player.session.loading import Prepare
from worldmodels.player.session.options import PlayOptions
from worldmodels.player.session.session import InputEvent, Session
from worldmodels.player.session.timing import LatencyMeter, TickClock
from worldmodels.player.view.background_task import BackgroundTask
from worldmodels.player.view.box_input import BoxInput
from worldmodels.player.view.capture import FixedPicture, VideoRecorder, pixels, save_pictures
from worldmodels.player.view.gamepads import Gamepads
from worldmodels.player.view.painter import Painter
from worldmodels.player.view.resizable_window import ResizableWindow

LOADING_RATE = 10
"""Pictures a second while the model loads or compiles."""
HINT_SECONDS = 12.0
"""Seconds for which the hint for beginners stays."""
POLL_INTERVAL = 0.008
"""Seconds from one look for events to the next."""


def run_window(
    painter: Painter, prepare: Prepare, options: PlayOptions, script: KeyScript, zoom: int
) -> Session | None:
    """Open the window, prepare the session behind a screen with the game's rules, play until the person leaves.

    Returns:
        The session, or None if the person left before it was ready.

    Raises:
        UserError: there is no display, or whatever `prepare` raised.
    """
    with _recorder(options) as recorder:  # the video is written after the window has closed
        window = _Window(painter, options, zoom)
        task = BackgroundTask(prepare)
        try:
            window.wait_for(task)
            if window.closed:
                return None
            session = task.result()
            window.connect(session)
            # A script or the policy starts at once; a person may still be reading.
            events = [] if script or options.policy else window.wait_for_key()
            window.play(session, script, events, recorder)
            return session
        finally:
            window.close()
            task.stop()


def _recorder(options: PlayOptions) -> AbstractContextManager[VideoRecorder | None]:
    return VideoRecorder(Path(options.video), options.rate, options.width) if options.video else nullcontext()


class _Window:
    def __init__(self, painter: Painter, options: PlayOptions, zoom: int) -> None:
        self._painter, self._options = painter, options
        self._keys = painter.guide.keys
        self._window = ResizableWindow(painter, zoom, as_it_was=options.zoom is None)
        self._film = FixedPicture(painter, zoom)
        pygame.display.set_caption(f"{painter.guide.title} - worldmodels")
        self._clock = pygame.time.Clock()
        self._stale = True
        self._latency = LatencyMeter()
        self._events: list[InputEvent] = []  # taken from the window, not yet given to a tick
        self._box_input: BoxInput | None = None
        self._gamepads: Gamepads | None = None
        self._begins = False
        """Whether play begins as soon as the model is loaded."""
        self._hint_until = 0.0
        self.closed = False

    def close(self) -> None:
        """Close the window."""
        self._window.close()

    def wait_for(self, task: BackgroundTask[Session]) -> None:
        """Show the rules until the task is done or the window was closed."""
        ticks = 0
        while task.running and not self.closed:
            dots = "." * (1 + ticks // 4 % 3)
            self._draw_rules(f"{task.status}{dots}{', then play begins' if self._begins else ''}")
            events = self._take_events()
            self._begins |= any(
                isinstance(event, KeyEvent) and event.pressed and event.key in BEGIN_KEYS for event in events
            )
            self.closed = self.closed or self._leaves(events)
            ticks += 1
            self._clock.tick(LOADING_RATE)

    def connect(self, session: Session) -> None:
        """Let mouse and gamepads reach a session."""
        of_box = isinstance(session.controls, BoxControls)
        self._box_input = BoxInput(self._painter, session) if of_box else None
        self._gamepads = Gamepads(self._keys, of_box)

    def wait_for_key(self) -> list[KeyEvent]:
        """Show the rules until a key goes down; return that key's event, unless it asks for help or a pause.

        Who wanted to begin while the model was loading waits no longer.
        """
        self._stale = True
        while not (self.closed or self._begins):
            if self._stale:
                self._draw_rules("Ready: press a key to begin")
                self._stale = False
            for event in self._take_events():
                if isinstance(event, KeyEvent) and event.pressed:
                    asks = self._keys.command(event.key) in (Command.HELP, Command.PAUSE)
                    return [] if asks else [event]
            self._clock.tick(self._options.rate)
        return []

    def play(self, session: Session, script: KeyScript, first: list[KeyEvent], recorder: VideoRecorder | None) -> None:
        """Tick until the person leaves, or the number of ticks asked for is reached."""
        tick = pictures = 0
        self._stale, self._events = True, list(first)
        clock = TickClock(time.perf_counter())
        if self._window.take_hint():
            self._hint_until = time.perf_counter() + HINT_SECONDS
        while not (session.quit or self.closed or tick == self._options.ticks):
            self._wait(clock, session)
            self._do_pending(session)
            events = [*self._events, *script.get(tick, ()), *self._take_events(session)]
            self._events = []
            start = time.perf_counter()
            clock.ticked(start, session.settings.rate)
            # Nothing is drawn while nothing changes: a paused player costs next to nothing.
            if session.tick(events) or self._stale or self._hint_until:
                self._painter.draw(self._window.surface, session.snapshot(), self._latency.text, self._hint(session))
                pygame.display.flip()
                self._stale = False
                self._latency.add(time.perf_counter() - start, session.settings.rate)
            if recorder is not None:
                recorder.add(pixels(self._film.draw(session.snapshot())))
            if session.pictures > pictures:
                pictures = session.pictures
                save_pictures(Path(self._options.pictures), self._film.draw(session.snapshot()), session.snapshot())
            tick += 1

    def _hint(self, session: Session) -> str:
        """Return the hint for beginners for a few seconds, or until the help is shown, and then nothing."""
        if session.help_shown or time.perf_counter() > self._hint_until:
            self._hint_until = 0.0
            return ""
        of = self._keys.label
        return f"{of(Command.HELP)} shows all keys · {of(Command.FULL_SCREEN)}: full screen · {of(Command.QUIT)} leaves"

    def _wait(self, clock: TickClock, session: Session) -> None:
        """Wait until the next tick begins; Esc and the window's close button do not wait."""
        rate = session.settings.rate
        # Not pygame.event.wait, which looks for keys a thousand times a second: a pause is to cost next to nothing.
        while (left := clock.next(any(event.pressed for event in self._events), rate) - time.perf_counter()) > 0:
            if self.closed or self._leaves(self._events):
                return
            time.sleep(min(left, POLL_INTERVAL))
            self._events += self._take_events(session)

    def _leaves(self, events: Sequence[InputEvent]) -> bool:
        """Return whether the key went down that leaves help, branches or the player."""
        keys = self._keys.commands[Command.QUIT]
        return any(isinstance(event, KeyEvent) and event.pressed and event.key in keys for event in events)

    def _do_pending(self, session: Session) -> None:
        """Do pending work in a thread, so that the window stays awake and says what is being done."""
        if session.pending is None or self.closed:
            return
        status, ticks = session.pending.status, 0
        task = BackgroundTask(lambda report: session.do_pending())
        while task.running and not self.closed:
            dots = "." * (1 + ticks // 4 % 3)
            self._painter.draw(self._window.surface, session.snapshot(), f"{status} {dots}")
            pygame.display.flip()
            self._take_events(session)
            ticks += 1
            self._clock.tick(LOADING_RATE)
        if not self.closed:
            task.result()
        self._stale = True

    def _draw_rules(self, status: str) -> None:
        self._painter.draw_rules(self._window.surface, status)
        pygame.display.flip()

    def _take_events(self, session: Session | None = None) -> list[InputEvent]:
        """Return the input since the last call; everything else that happens to the window is dealt with here."""
        taken: list[InputEvent] = []
        for event in pygame.event.get():
            if event.type == pygame.QUIT:
                self.closed = True
            elif event.type in (pygame.VIDEORESIZE, pygame.VIDEOEXPOSE):
                self._window.resized()
                self._stale = True
            elif event.type == pygame.WINDOWFOCUSLOST and session is not None:
                session.controls.release_all()
                if self._gamepads is not None:
                    self._gamepads.release_all()
            elif event.type in (pygame.KEYDOWN, pygame.KEYUP):
                taken += self._key(key_event(event))
            else:
                taken += self._other_events(event)
        return taken

    def _other_events(self, event: pygame.Event) -> list[InputEvent]:
        """Return what an event of a mouse or a gamepad means."""
        of_mouse = self._box_input.events(self._window.surface, event) if self._box_input else []
        return of_mouse or (self._gamepads.events(event) if self._gamepads else [])

    def _key(self, event: KeyEvent) -> list[InputEvent]:
        """Do what a key of the window itself means; return the event of any other key."""
        act = {Command.FULL_SCREEN: self._window.toggle_full_screen, Command.ZOOM: self._window.enlarge}
        command = self._keys.command(event.key)
        if command not in act:
            return [event]
        if event.pressed:
            act[command]()
            self._stale = True
        return []


def key_event(event: pygame.Event) -> KeyEvent:
    """Return the event of a key with the name that the controls know."""
    # A question mark lies on another key on each keyboard, so it goes by what was typed.
    name = "?" if getattr(event, "unicode", "") == "?" else pygame.key.name(event.key)
    held = getattr(event, "mod", 0)
    if held & pygame.KMOD_SHIFT:
        name = SHIFTED.get(name, name)
    if held & pygame.KMOD_ALT:
        name = WITH_ALT.get(name, name)
    return KeyEvent(name, event.type == pygame.KEYDOWN)
