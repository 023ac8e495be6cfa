"""The window: keys in, pictures out, and a screen to read while the model loads."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import Generic, TypeVar

import pygame

from worldmodels.core.errors import UserError
from worldmodels.player import theme
from worldmodels.player.controls import KeyEvent
from worldmodels.player.draw import Painter, pixels
from worldmodels.player.help_screen import draw_help
from worldmodels.player.options import PlayOptions
from worldmodels.player.pace import Pace
from worldmodels.player.pictures import save_pictures
from worldmodels.player.recorder import Recorder
from worldmodels.player.script import KeyScript
from worldmodels.player.session import Session
from worldmodels.player.speed import Speed

Report = Callable[[str], None]
"""Tells the person what goes on."""
Prepare = Callable[[Report], Session]
"""Builds a session, which may take a minute."""
LOADING_RATE = 10
LOOK = 0.008
"""Seconds from one look for keys to the next."""
Result = TypeVar("Result")


def run_window(
    painter: Painter, prepare: Prepare, options: PlayOptions, script: KeyScript, zoom: int
) -> Session | None:
    """Open the window, prepare the session behind a screen with the game's rules, play until the person leaves.

    Returns:
        The session, or None if the person left before it was ready.

    Raises:
        UserError: there is no display, or whatever `prepare` raised.
    """
    window = _Window(painter, options, zoom)
    task = _Task(prepare)
    try:
        window.wait_for(task)
        if window.closed:
            return None
        session = task.result()
        # A script or the policy starts at once; a person may still be reading.
        events = [] if script or options.policy else window.wait_for_key()
        window.play(session, script, events)
        return session
    finally:
        pygame.display.quit()
        task.stop()


class _Window:
    def __init__(self, painter: Painter, options: PlayOptions, zoom: int) -> None:
        self._painter, self._options = painter, options
        _open_display()
        # The size of a video's pictures is fixed by the first one.
        flags = 0 if options.video else pygame.RESIZABLE
        self._surface = pygame.display.set_mode(painter.size(zoom), flags)
        pygame.display.set_caption(f"{painter.guide.title} - worldmodels")
        self._clock = pygame.time.Clock()
        self._stale = True
        self._speed = Speed()
        self.closed = False

    def wait_for(self, task: _Task[Session]) -> None:
        """Stay awake until the task is done or the window was closed."""
        ticks = 0
        while task.running and not self.closed:
            self._intro(f"{task.status}{'.' * (1 + ticks // 4 % 3)}")
            self.closed = self.closed or KeyEvent("escape", True) in self._events()
            ticks += 1
            self._clock.tick(LOADING_RATE)

    def wait_for_key(self) -> list[KeyEvent]:
        """Show the rules until a key goes down; that key's event."""
        self._stale = True
        while not self.closed:
            if self._stale:
                self._intro("Ready: press a key to begin")
                self._stale = False
            for event in self._events():
                if event.pressed:
                    return [] if event.key in ("h", "?") else [event]
            self._clock.tick(self._options.rate)
        return []

    def play(self, session: Session, script: KeyScript, first: list[KeyEvent]) -> None:
        """Tick until the person leaves, or the number of ticks asked for is reached."""
        with self._recorder() as recorder:
            tick = pictures = 0
            self._stale = True
            pace = Pace(time.perf_counter())
            while not (session.quit or self.closed or tick == self._options.ticks):
                self._do_pending(session)
                events = [*first, *script.get(tick, ()), *self._events(session)]
                first = []
                start = time.perf_counter()
                pace.ticked(start, session.settings.rate)
                # Nothing is drawn while nothing changes: a paused player costs next to nothing.
                if session.tick(events) or self._stale or recorder is not None:
                    # Not in a film: the same keys are to give the same one.
                    speed = "" if recorder else self._speed.text
                    self._painter.draw(self._surface, session.snapshot(), speed)
                    pygame.display.flip()
                    self._stale = False
                    self._speed.add(time.perf_counter() - start, session.settings.rate)
                if recorder is not None:
                    recorder.add(pixels(self._surface))
                if session.pictures > pictures:
                    pictures = session.pictures
                    save_pictures(Path(self._options.pictures), self._surface, session.snapshot())
                tick += 1
                self._wait(pace, session.settings.rate)

    def _wait(self, pace: Pace, rate: int) -> None:
        """Until the next tick begins."""
        # Not pygame.event.wait, which looks for keys a thousand times a second: a pause is to cost next to nothing.
        while (left := pace.next(pygame.event.peek(pygame.KEYDOWN), rate) - time.perf_counter()) > 0:
            time.sleep(min(left, LOOK))

    def _do_pending(self, session: Session) -> None:
        """In a thread, so that the window stays awake and says what goes on."""
        if session.pending is None:
            return
        status, ticks = session.pending.status, 0
        task = _Task(lambda report: session.do_pending())
        while task.running:
            dots = "." * (1 + ticks // 4 % 3)
            self._painter.draw(self._surface, session.snapshot(), f"{status} {dots}")
            pygame.display.flip()
            self._events(session)
            ticks += 1
            self._clock.tick(LOADING_RATE)
        task.result()
        self._stale = True

    def _recorder(self) -> AbstractContextManager[Recorder | None]:
        if not self._options.video:
            return nullcontext()
        return Recorder(Path(self._options.video), self._options.rate, self._options.width)

    def _intro(self, status: str) -> None:
        self._surface.fill(theme.BACKGROUND)
        draw_help(self._surface, self._painter.guide, status)
        pygame.display.flip()

    def _events(self, session: Session | None = None) -> list[KeyEvent]:
        """The key events since the last call; what else happens to the window is dealt with here."""
        keys = []
        for event in pygame.event.get():
            if event.type == pygame.QUIT:
                self.closed = True
            elif event.type in (pygame.VIDEORESIZE, pygame.VIDEOEXPOSE):
                self._surface = pygame.display.get_surface() or self._surface
                self._stale = True
            elif event.type == pygame.WINDOWFOCUSLOST and session is not None:
                session.controls.release_all()
            elif event.type in (pygame.KEYDOWN, pygame.KEYUP):
                keys.append(_key_event(event))
        return keys


class _Task(Generic[Result]):
    """Does something in a thread, with a status to read and a result or an error to take."""

    def __init__(self, prepare: Callable[[Report], Result]) -> None:
        self.status = "Loading"
        self._stopped = False
        self._result: Result
        self._error: BaseException | None = None
        self._thread = threading.Thread(target=self._run, args=(prepare,))
        self._thread.start()

    @property
    def running(self) -> bool:
        return self._thread.is_alive()

    def result(self) -> Result:
        if self._error is not None:
            raise self._error
        return self._result

    def stop(self) -> None:
        """Give up at the next stage. Waits for it: a process that exits in the midst of a compilation may crash."""
        self._stopped = True
        self._thread.join()

    def _run(self, prepare: Callable[[Report], Result]) -> None:
        try:
            self._result = prepare(self._report)
        except BaseException as error:  # not swallowed: the main thread raises it again
            self._error = error

    def _report(self, status: str) -> None:
        if self._stopped:
            raise _Stopped
        self.status = status


class _Stopped(Exception):
    """The person left before the session was ready."""


def _open_display() -> None:
    try:
        pygame.display.init()
        driver = pygame.display.get_driver()
    except pygame.error as error:
        raise _no_display(str(error)) from error
    if driver in ("offscreen", "evdev"):  # what SDL falls back to; "dummy" must be asked for by name
        pygame.display.quit()
        raise _no_display(f"only the driver '{driver}' is there")
    _forbid_opengl(driver)


def _forbid_opengl(driver: str) -> None:
    """Mesa's OpenGL drivers and TensorFlow each bring an LLVM of their own, and crash in one process.

    SDL would draw a plain window through OpenGL unless told otherwise; X11 alone can do without.
    """
    if driver == "x11":
        os.environ.setdefault("SDL_FRAMEBUFFER_ACCELERATION", "0")


def _no_display(why: str) -> UserError:
    return UserError(
        f"There is no display to open a window on ({why}). "
        "Play without one: worldmodels play ... --headless --keys FILE --video OUT.mp4"
    )


def _key_event(event: pygame.Event) -> KeyEvent:
    # A question mark lies on another key on each keyboard, so it goes by what was typed.
    name = "?" if getattr(event, "unicode", "") == "?" else pygame.key.name(event.key)
    if name == "f1" and getattr(event, "mod", 0) & pygame.KMOD_SHIFT:
        name = "shift+f1"
    return KeyEvent(name, event.type == pygame.KEYDOWN)
