"""A window of the screen that opens to fit, fills the screen when asked, and remembers its size."""

from __future__ import annotations

import warnings
from dataclasses import replace

import pygame

from worldmodels.player.view.display import open_display
from worldmodels.player.view.painter import Painter
from worldmodels.player.view.window_memory import WindowMemory, recall, remember
from worldmodels.player.view.window_size import LEAST, next_size, opening_size, room_on, within

TRIES, PAUSE = 8, 30
"""Times that a size is asked for, and the milliseconds between."""


class ResizableWindow:
    """A window in which a painter's pictures are shown.

    Args:
        painter: knows how large pictures would like to be.
        zoom: of frames, in a window that was never resized.
        as_it_was: open in the size that is remembered.

    Attributes:
        surface: what is shown; another one after each change of size.
        memory: what will be remembered.

    Raises:
        UserError: there is no display.
    """

    def __init__(self, painter: Painter, zoom: int, as_it_was: bool) -> None:
        open_display()
        self._natural = painter.size(zoom)
        self._screen = pygame.display.get_desktop_sizes()[0]
        self.memory: WindowMemory = recall()
        remembered = (self.memory.width, self.memory.height)
        fits = as_it_was and min(remembered[0] - LEAST[0], remembered[1] - LEAST[1]) >= 0
        opening = opening_size(self._natural, self._screen)
        self._windowed = self._opened = within(remembered, room_on(self._screen)) if fits else opening
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
        """Close the window, and remember its size if it was changed."""
        if self._windowed != self._opened:
            self.memory = replace(self.memory, width=self._windowed[0], height=self._windowed[1])
            remember(self.memory)
        pygame.display.quit()

    def take_hint(self) -> bool:
        """Return whether the hint for beginners is to be shown, which is once and then never again."""
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
