"""The window: a source of keys, mouse and gamepads, a sink of pictures, and a screen to read while the model loads."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import pygame

from worldmodels.player.session.background_task import BackgroundTask
from worldmodels.player.session.controls.box_controls import BoxControls
from worldmodels.player.session.controls.key_file import BEGIN_KEYS, SHIFTED, WITH_ALT
from worldmodels.player.session.controls.key_script import KeyScript
from worldmodels.player.session.controls.key_table import Command
from worldmodels.player.session.events import InputEvent, KeyEvent
from worldmodels.player.session.loop import Due, LatencyMeter, Prepare, play
from worldmodels.player.session.options import PlayOptions
from worldmodels.player.session.session import Session
from worldmodels.player.view.capture import Film, recorder_of
from worldmodels.player.view.input_devices import BoxInput, DrawInput, EpisodesInput, Gamepads, TimelineInput
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
    """Open the window, prepare the session behind a screen with the game's rules, and play until the person leaves.

    Returns:
        The session, or None if the person left before it was ready.

    Raises:
        UserError: there is no display, or whatever `prepare` raised.
    """
    with recorder_of(options) as recorder:  # the video is written after the window has closed
        window, film, session = _Window(painter, options, zoom), Film(painter, zoom, options.pictures), None
        try:
            session = window.load(prepare)
            if session is not None:
                # A script or the policy starts at once; a person may still be reading.
                waits_for_key = not (script or options.policy)
                for changed in play(session, window, window, script, options.steps, waits_for_key):
                    film.record(session, recorder, changed)
            return session
        finally:
            window.close()
            if session is not None:
                film.finish(session)


class _Window:
    """The window is the source of a session's events and the sink of its snapshots."""

    def __init__(self, painter: Painter, options: PlayOptions, zoom: int) -> None:
        self._painter, self._keys = painter, painter.guide.keys
        self._window = ResizableWindow(painter, zoom, as_it_was=options.zoom is None)
        pygame.display.set_caption(f"{painter.guide.title} - worldmodels")
        self._clock = pygame.time.Clock()
        self._latency = LatencyMeter()
        self._events: list[InputEvent] = []  # from the time of loading, for the first tick
        self._session: Session | None = None  # the one that mouse and gamepads reach
        self._mice: list[BoxInput | DrawInput | EpisodesInput | TimelineInput] = []
        self._gamepads: Gamepads | None = None
        self._stale = False
        """Whether the picture has to be drawn again, because the window has changed."""
        self._draw_again: Callable[[], None] = lambda: None
        self._hint_until = 0.0
        self.closed = False

    def close(self) -> None:
        """Close the window."""
        self._window.close()

    def load(self, prepare: Prepare) -> Session | None:
        """Show the rules while the session is prepared; return it, or None if the person leaves.

        A key of `BEGIN_KEYS` that goes down meanwhile begins play as soon as the session is ready.
        """
        task = BackgroundTask(prepare)
        try:
            for dots in self._while_running(task):
                self._draw_rules(f"{task.status}{', then play begins' if self._events else ''}{dots}")
                events = self._poll()
                self._events += _taps(events, BEGIN_KEYS)
                self.closed = self.closed or self._leaves(events)
            if self.closed:
                return None
            session = task.result()
        finally:
            task.stop()
        self._connect(session)
        return session

    def take(self, due: Due) -> list[InputEvent]:
        """Wait until `due`, and return the events since the last call; leaving the player does not wait."""
        events, self._events = [*self._events, *self._poll()], []
        # Not pygame.event.wait, which looks for keys a thousand times a second: a pause is to cost next to nothing.
        while (left := due(any(event.pressed for event in events)) - time.perf_counter()) > 0:
            if self.closed or self._leaves(events):
                break
            if self._stale:
                self._draw_again()
            time.sleep(min(left, POLL_INTERVAL))
            events += self._poll()
        return events

    def show_ready(self, session: Session) -> None:
        """Show the rules, or the game that begins with a key, until a key goes down."""
        if session.begins_with_game:
            begin = f"press a key to begin · {self._keys.label(Command.HELP)} shows the rules and all keys"
            self._draw_again = lambda: self._draw(session, "", begin)
        else:
            self._draw_again = lambda: self._draw_rules("Ready: press a key to begin")
        self._draw_again()

    def do_pending(self, session: Session) -> None:
        """Do pending work in a thread, while the window answers and shows its status."""
        status = session.pending.status if session.pending else ""
        task = BackgroundTask(lambda report: session.do_pending())
        for dots in self._while_running(task):
            self._draw(session, f"{status} {dots}")
            self._poll()
        if not self.closed:
            task.result()
        self._stale = True

    def show(self, session: Session, changed: bool, began: float | None) -> None:
        """Draw the session if anything has changed: a paused player costs next to nothing."""
        if began is None and self._window.take_hint():
            self._hint_until = time.perf_counter() + HINT_SECONDS
        if changed or self._stale or self._hint_until:
            self._draw_again = lambda: self._draw(session, self._latency.text, self._hint(session))
            self._draw_again()
            if began is not None:
                self._latency.add(time.perf_counter() - began, session.settings.rate)

    def _connect(self, session: Session) -> None:
        """Let mouse and gamepads reach a session."""
        of_box = isinstance(session.controls, BoxControls)
        self._session = session
        self._mice = [of(self._painter, session) for of in (EpisodesInput, DrawInput, TimelineInput)]
        self._mice += [BoxInput(self._painter, session)] if of_box else []
        self._gamepads = Gamepads(self._keys, of_box)

    def _while_running(self, task: BackgroundTask[Any]) -> Iterator[str]:
        """Yield some dots for each picture until the task is done or the window is closed."""
        ticks = 0
        while task.running and not self.closed:
            yield "." * (1 + ticks // 4 % 3)
            ticks += 1
            self._clock.tick(LOADING_RATE)

    def _hint(self, session: Session) -> str:
        """Return the hint for beginners for a few seconds or until the help is shown, and then nothing."""
        if session.help_shown or time.perf_counter() > self._hint_until:
            self._hint_until = 0.0
            return ""
        of = self._keys.label
        return f"{of(Command.HELP)} shows all keys · {of(Command.FULL_SCREEN)}: full screen · {of(Command.QUIT)} leaves"

    def _leaves(self, events: Sequence[InputEvent]) -> bool:
        """Return whether the key went down that leaves help, branches or the player."""
        return bool(_taps(events, self._keys.commands[Command.QUIT]))

    def _draw_rules(self, status: str) -> None:
        self._painter.draw_rules(self._window.surface, status)
        self._flip()

    def _draw(self, session: Session, status: str, hint: str = "") -> None:
        self._painter.draw(self._window.surface, session.snapshot(), status, hint)
        self._flip()

    def _flip(self) -> None:
        pygame.display.flip()
        self._stale = False

    def _poll(self) -> list[InputEvent]:
        """Return the input since the last call, and handle all other events of the window."""
        taken: list[InputEvent] = []
        for event in pygame.event.get():
            if event.type == pygame.QUIT:
                self.closed = True
            elif event.type in (pygame.VIDEORESIZE, pygame.VIDEOEXPOSE):
                self._window.resized()
                self._stale = True
            elif event.type == pygame.WINDOWFOCUSLOST:
                self._release_all()
            elif event.type in (pygame.KEYDOWN, pygame.KEYUP):
                taken += self._key(key_event(event))
            else:
                taken += self._other_events(event)
        return taken

    def _release_all(self) -> None:
        """Release all keys, because the window lost the keyboard."""
        if self._session is not None:
            self._session.controls.release_all()
        if self._gamepads is not None:
            self._gamepads.release_all()

    def _other_events(self, event: pygame.Event) -> list[InputEvent]:
        """Return the session's events for an event of a mouse or a gamepad."""
        of_mouse = [found for mouse in self._mice for found in mouse.events(self._window.surface, event)]
        return of_mouse or (self._gamepads.events(event) if self._gamepads else [])

    def _key(self, event: KeyEvent) -> list[InputEvent]:
        """Do the command of a key of the window; return the event of any other key."""
        act = {Command.FULL_SCREEN: self._window.toggle_full_screen, Command.ZOOM: self._window.enlarge}
        command = self._keys.command(event.key)
        if command not in act:
            return [event]
        if event.pressed:
            act[command]()
            self._stale = True
        return []


def _taps(events: Sequence[InputEvent], keys: Sequence[str]) -> list[InputEvent]:
    """Return a press and a release of each of these keys that went down."""
    down = [event.key for event in events if isinstance(event, KeyEvent) and event.pressed and event.key in keys]
    return [KeyEvent(key, pressed) for key in down for pressed in (True, False)]


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
