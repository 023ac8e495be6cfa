"""The canvas: a surface on which everything is drawn in units that grow with the window, and text is always sharp."""

from __future__ import annotations

import functools
import math
from collections.abc import Iterator
from contextlib import contextmanager

import pygame

from worldmodels.player.session.worlds.frames import Frame
from worldmodels.player.view import theme
from worldmodels.player.view.theme import NORMAL, QUIET, SMALL, TEXT, Colour

WHOLE_FROM, NEARLY_ONE = 2.0, 1.1
"""The zoom from which a picture is only enlarged by whole numbers, and the one up to which it stays as it is."""


class Canvas:
    """A canvas takes places and sizes in units; a unit is `scale` pixels of its surface.

    Text is rendered in its size in pixels, and measured in units. Ends of rectangles are rounded, not their widths, so
    what meets in units meets in pixels.
    """

    def __init__(self, surface: pygame.Surface, scale: float = 1.0) -> None:
        self.surface, self.scale = surface, scale

    @property
    def area(self) -> pygame.Rect:
        """The whole canvas in units, without a part of a unit at its end."""
        width, height = self.surface.get_size()
        return pygame.Rect(0, 0, int(width / self.scale), int(height / self.scale))

    @contextmanager
    def only(self, area: pygame.Rect) -> Iterator[None]:
        """Draw nothing outside of an area meanwhile."""
        before = self.surface.get_clip()
        self.surface.set_clip(before.clip(self.pixels(area)))
        try:
            yield
        finally:
            self.surface.set_clip(before)

    def pixels(self, area: pygame.Rect) -> pygame.Rect:
        """Return an area of the canvas in pixels of its surface."""
        if self.scale == 1.0:  # most screens, and all films: a time line asks a thousand times
            return area.copy()
        x, y, width, height = area
        left, top = self._pixel(x), self._pixel(y)
        return pygame.Rect(left, top, self._pixel(x + width) - left, self._pixel(y + height) - top)

    def _pixel(self, units: int) -> int:
        """Return the nearest pixel, of two the later one: a width in units has its pixels, rounded down, anywhere."""
        return math.floor(units * self.scale + 0.5)

    # ---- shapes

    def fill(self, colour: Colour, area: pygame.Rect) -> None:
        """Fill an area, with a width of at least a pixel."""
        left, top, width, height = self.pixels(area)
        self.surface.fill(colour, (left, top, max(1, width), max(1, height)))

    def card(self, area: pygame.Rect) -> None:
        """Draw a panel with round corners."""
        pygame.draw.rect(self.surface, theme.CARD, self.pixels(area), border_radius=round(8 * self.scale))

    def border(self, colour: Colour, area: pygame.Rect, width: int = 1, radius: int = 0) -> None:
        """Draw the border of an area, inside of it."""
        thick = max(1, round(width * self.scale))
        pygame.draw.rect(self.surface, colour, self.pixels(area), thick, round(radius * self.scale))

    def across(self, colour: Colour, left: int, right: int, y: int) -> None:
        """Draw a thin line across."""
        self.fill(colour, pygame.Rect(left, y, right - left, 1))

    def down(self, colour: Colour, x: int, top: int, bottom: int) -> None:
        """Draw a thin line down."""
        self.fill(colour, pygame.Rect(x, top, 1, bottom - top))

    def pill(self, text: str, midright: tuple[int, int], colour: Colour) -> pygame.Rect:
        """Draw a small label in a border of its colour; return the rectangle that it covers."""
        place = pygame.Rect(0, 0, self.width(text, SMALL, bold=True) + 20, 24)
        place.midright = midright
        round_card = round(place.height / 2 * self.scale)
        pygame.draw.rect(self.surface, theme.CARD, self.pixels(place), border_radius=round_card)
        self.border(colour, place, radius=place.height // 2)
        self.write(text, place.center, size=SMALL, colour=colour, bold=True, anchor="center")
        return place

    # ---- pictures

    def enlarged(self, size: tuple[int, int], place: pygame.Rect) -> tuple[float, pygame.Rect]:
        """Return how much a frame of this width and height is enlarged in a place, and its rectangle in pixels."""
        area = self.pixels(place)
        zoom = drawn_zoom(min(area.width / size[0], area.height / size[1]))
        shown = pygame.Rect(0, 0, max(1, round(size[0] * zoom)), max(1, round(size[1] * zoom)))
        shown.center = area.center
        return zoom, shown

    def picture(self, frame: Frame, place: pygame.Rect) -> pygame.Rect:
        """Draw a frame, uint8 (H, W, 3), as large as its shape allows in a place; return its rectangle in pixels."""
        height, width = frame.shape[:2]
        zoom, shown = self.enlarged((width, height), place)
        # Converted while it is small, it is enlarged right onto the surface. Pygame converts for a display alone.
        picture = pygame.Surface((width, height), 0, self.surface)
        picture.blit(pygame.surfarray.make_surface(frame.swapaxes(0, 1)), (0, 0))
        enlarge = pygame.transform.scale if zoom == int(zoom) else pygame.transform.smoothscale
        if self.surface.get_clip().contains(shown):
            enlarge(picture, shown.size, self.surface.subsurface(shown))
        else:
            self.surface.blit(enlarge(picture, shown.size), shown)
        return shown

    def frame(self, frame: Frame, place: pygame.Rect, border: Colour, width: int) -> None:
        """Draw a frame in a place, and a border around it."""
        shown, thick = self.picture(frame, place), max(1, round(width * self.scale))
        pygame.draw.rect(self.surface, border, shown.inflate(2 * thick, 2 * thick), thick)

    # ---- text

    def width(self, text: str, size: int = NORMAL, bold: bool = False) -> int:
        """Return the width of a line of text in units."""
        return math.ceil(_width(text, self._font_size(size), bold) / self.scale)

    def write(
        self,
        text: str,
        place: tuple[int, int],
        *,
        size: int = NORMAL,
        colour: Colour = TEXT,
        bold: bool = False,
        anchor: str = "topleft",
        room: int | None = None,
    ) -> pygame.Rect:
        """Write a line of text with its `anchor` (topleft, midright, center ...) at `place`; return its rectangle.

        Args:
            room: the greatest width; a longer text ends with dots, or is left out if not even the dots fit.
        """
        pixels = self._font_size(size)
        if room is not None:
            text = _shortened(text, int(room * self.scale), pixels, bold)
        image = _render(text, pixels, colour, bold)
        at = (round(place[0] * self.scale), round(place[1] * self.scale))
        shown = self.surface.blit(image, image.get_rect(**{anchor: at})) if text else pygame.Rect(at, (0, 0))
        left, top = math.floor(shown.left / self.scale), math.floor(shown.top / self.scale)
        right, bottom = math.ceil(shown.right / self.scale), math.ceil(shown.bottom / self.scale)
        return pygame.Rect(left, top, right - left, bottom - top)

    def inline(self, name: str, value: str, midleft: tuple[int, int]) -> int:
        """Write a name and its value in one small line; return its right end."""
        right = self.write(name, midleft, size=SMALL, colour=QUIET, anchor="midleft").right
        return self.write(value, (right + 6, midleft[1]), size=SMALL, anchor="midleft").right

    def inline_width(self, name: str, value: str) -> int:
        """Return the width that `inline` takes."""
        return self.width(name, SMALL) + 6 + self.width(value, SMALL)

    def pair(self, name: str, value: str, place: tuple[int, int], size: int, colour: Colour) -> None:
        """Write a name above its value."""
        below = self.write(name, place, size=SMALL, colour=QUIET).bottom
        self.write(value, (place[0], below), size=size, bold=True, colour=colour)

    def wrap(self, text: str, width: int, size: int = NORMAL) -> list[str]:
        """Break a text into lines of at most `width` units, between words."""
        lines: list[str] = []
        for word in text.split():
            longer = f"{lines[-1]} {word}" if lines else word
            if lines and self.width(longer, size) <= width:
                lines[-1] = longer
            else:
                lines.append(word)
        return lines

    def _font_size(self, size: int) -> int:
        return max(1, round(size * self.scale))


def drawn_zoom(fits: float) -> float:
    """Return how much a picture is enlarged where so much fits: by a whole number, so that its pixels stay squares.

    A small picture rather fills its place than to waste up to half of it.
    """
    return int(fits) if fits >= WHOLE_FROM or 1.0 <= fits < NEARLY_ONE else fits


@functools.lru_cache(maxsize=4096)
def _width(text: str, pixels: int, bold: bool) -> int:
    return theme.font(pixels, bold).size(text)[0]


@functools.lru_cache(maxsize=1024)
def _shortened(text: str, room: int, pixels: int, bold: bool) -> str:
    """Return a text, or its beginning with dots, or nothing, so that it is no wider than `room` pixels."""
    shorter = text
    while shorter and _width(shorter, pixels, bold) > room:
        shorter = f"{shorter.rstrip('…')[:-1].rstrip()}…" if len(shorter) > 2 else ""
    return shorter


@functools.lru_cache(maxsize=1024)
def _render(text: str, pixels: int, colour: Colour, bold: bool) -> pygame.Surface:
    """Return a line of text from the cache; do not draw on it."""
    return theme.font(pixels, bold).render(text, True, colour)
