"""A window that opens in a fitting size, can fill the screen, and remembers its size.

The display that the window needs.
"""

from __future__ import annotations

import json
import os
import warnings
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Annotated

import pygame

from worldmodels.core.configuration.ranges import Section, between
from worldmodels.core.errors import UserError
from worldmodels.core.files.json_files import parse_json
from worldmodels.core.files.user_folders import state_folder
from worldmodels.core.files.writing import make_folder, read_regular, write_atomic
from worldmodels.player.view import theme
from worldmodels.player.view.layout import scale_for
from worldmodels.player.view.painter import Painter


def open_display() -> None:
    """Start pygame's display.

    Raises:
        UserError: there is no display.
    """
    try:
        pygame.display.init()
        driver = pygame.display.get_driver()
    except pygame.error as error:
        raise _no_display(str(error)) from error
    if driver in ("offscreen", "evdev"):  # SDL's last resorts; "dummy" must be asked for by name
        pygame.display.quit()
        raise _no_display(f"only the driver '{driver}' is there")
    forbid_opengl(driver)


def forbid_opengl(driver: str) -> None:
    """Prevent SDL from drawing the window through OpenGL, if the driver is X11, which can do without.

    Mesa's OpenGL drivers and TensorFlow each bring an LLVM of their own, and crash in one process.
    """
    if driver == "x11":
        os.environ.setdefault("SDL_FRAMEBUFFER_ACCELERATION", "0")


def _no_display(why: str) -> UserError:
    return UserError(
        f"There is no display to open a window on ({why}). "
        "Play in a browser: worldmodels play ... --web, or without a person: --headless --key-script FILE --video "
        "OUT.mp4"
    )


Size = tuple[int, int]
EDGES = (16, 88)
"""Pixels of the screen, across and down, that the frame of a window and the desktop's panels take."""
FACTORS = (0.5, 0.75, 1.0, 1.25, 1.5, 1.75, 2.0, 2.5, 3.0, 4.0)
"""The multiples of its natural size that a window can take by a key."""
LEAST = (320, 200)
"""The smallest size that is remembered."""


def room_on(screen: Size) -> Size:
    """Return the size of the largest window that a screen has room for."""
    return max(screen[0] - EDGES[0], LEAST[0]), max(screen[1] - EDGES[1], LEAST[1])


def opening_size(natural: Size, screen: Size) -> Size:
    """Return the size in which a window opens: its natural one, enlarged for a large screen, cut for a small one."""
    room = room_on(screen)
    scale = min(scale_for(screen), room[0] / natural[0], room[1] / natural[1])
    return within(natural if scale < 1.0 else (int(natural[0] * scale), int(natural[1] * scale)), room)


def within(size: Size, room: Size) -> Size:
    """Return a size, cut to the room."""
    return min(size[0], room[0]), min(size[1], room[1])


def turned(natural: Size, screen: Size) -> Size:
    """Return a natural size, upright on an upright screen."""
    return natural[::-1] if screen[1] > screen[0] and natural[0] > natural[1] else natural


def next_size(size: Size, natural: Size, screen: Size) -> Size:
    """Return the next larger of the natural size's multiples that the screen has room for, or else the smallest."""
    room = room_on(screen)
    multiples = [(int(natural[0] * factor), int(natural[1] * factor)) for factor in FACTORS]
    fitting = [multiple for multiple in multiples if within(multiple, room) == multiple]
    larger = [multiple for multiple in fitting if multiple[0] * multiple[1] > size[0] * size[1]]
    return next(iter(larger or fitting), size)


Pixels = Annotated[int, between(0, 32768)]


@dataclass(frozen=True)
class WindowMemory(Section):
    """The memory of the window.

    Attributes:
        width: in pixels; 0 before the window was ever resized.
        height: in pixels, likewise.
        hint_shown: whether the hint for beginners was shown.
    """

    width: Pixels = 0
    height: Pixels = 0
    hint_shown: bool = False


def memory_file() -> Path:
    """Return the file of the memory."""
    return state_folder() / "window.json"


def recall() -> WindowMemory:
    """Return the memory of the window; an empty one if the file is missing, damaged or not readable."""
    with suppress(UserError, OSError, RuntimeError):  # a person may have no home at all
        path = memory_file()
        return parse_json(read_regular(path), WindowMemory, str(path))
    return WindowMemory()


def remember(memory: WindowMemory) -> None:
    """Write the memory of the window, if possible: play never fails because of it."""
    with suppress(UserError, OSError, RuntimeError):
        path = memory_file()
        make_folder(path.parent)
        write_atomic(path, json.dumps(asdict(memory), allow_nan=False) + "\n")


def icon() -> pygame.Surface:
    """Return the window's icon, 64 x 64: a real frame and, over its corner, a model's."""
    surface = pygame.Surface((64, 64), pygame.SRCALPHA)
    for colour, place in ((theme.REAL, (4, 4, 40, 40)), (theme.MODEL, (20, 20, 40, 40))):
        pygame.draw.rect(surface, theme.BACKGROUND, pygame.Rect(place).inflate(6, 6), border_radius=9)
        pygame.draw.rect(surface, colour, place, border_radius=6)
    pygame.draw.circle(surface, theme.BACKGROUND, (40, 40), 9)
    return surface


TRIES, PAUSE = 8, 30
"""Attempts to set a size, and the milliseconds between them."""


class ResizableWindow:
    """A window in which a painter's pictures are shown.

    Args:
        painter: gives the natural size of its pictures.
        zoom: of frames, in a window that was never resized.
        as_it_was: open in the size that is remembered.

    Attributes:
        surface: the surface that is shown, which is a new one after each change of size.
        memory: the size and the hint for the next time.

    Raises:
        UserError: there is no display.
    """

    def __init__(self, painter: Painter, zoom: int, as_it_was: bool) -> None:
        open_display()
        pygame.display.set_icon(icon())
        self._screen = pygame.display.get_desktop_sizes()[0]
        self._natural = turned(painter.size(zoom), self._screen)
        self._smallest = next_size(self._screen, self._natural, self._screen)
        self.memory: WindowMemory = recall()
        remembered = (self.memory.width, self.memory.height)
        fits = min(remembered[0] - LEAST[0], remembered[1] - LEAST[1]) >= 0 and remembered != self._smallest
        opening = opening_size(self._natural, self._screen)
        self._windowed = self._opened = within(remembered, room_on(self._screen)) if fits and as_it_was else opening
        self.full_screen = False
        self.surface = self._show()

    def toggle_full_screen(self) -> None:
        """Fill the screen, or be a window of the same size as before."""
        self.full_screen = not self.full_screen
        self.surface = self._show()

    def enlarge(self) -> None:
        """Take the next larger size of the window that the screen has room for, or the smallest again."""
        if not self.full_screen:
            self._windowed = next_size(self._windowed, self._natural, self._screen)
            self.surface = self._show()

    def resized(self) -> None:
        """Take note of the size that a person gave the window."""
        self.surface = pygame.display.get_surface() or self.surface
        if not self.full_screen:
            self._windowed = self.surface.get_size()

    def close(self) -> None:
        """Close the window, and remember its size if it was changed, but never the smallest one of `enlarge`."""
        if self._windowed not in (self._opened, self._smallest):
            self.memory = replace(self.memory, width=self._windowed[0], height=self._windowed[1])
            remember(self.memory)
        pygame.display.quit()

    def take_hint(self) -> bool:
        """Return whether to show the hint for beginners, which is shown once."""
        wanted = not self.memory.hint_shown
        if wanted:
            self.memory = replace(self.memory, hint_shown=True)
            remember(self.memory)
        return wanted

    def _show(self) -> pygame.Surface:
        if self.full_screen:
            return pygame.display.set_mode(self._screen, pygame.FULLSCREEN)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", RuntimeWarning)  # a desktop may have other wishes
            for _ in range(TRIES):
                surface = pygame.display.set_mode(self._windowed, pygame.RESIZABLE)
                if surface.get_size() == self._windowed:
                    break
                # Who leaves the full screen is given the screen's size first.
                pygame.time.wait(PAUSE)
                pygame.event.pump()
        return surface
