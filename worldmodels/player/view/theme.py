"""Colours, sizes and text of the player's pictures."""

from __future__ import annotations

import functools
import importlib.util
import os
from pathlib import Path

os.environ.setdefault("PYGAME_HIDE_SUPPORT_PROMPT", "1")

import pygame  # noqa: E402  (its greeting is silenced first)

Colour = tuple[int, int, int]

BACKGROUND: Colour = (18, 20, 24)
CARD: Colour = (28, 31, 37)
LINE: Colour = (52, 57, 66)
TEXT: Colour = (233, 231, 226)
QUIET: Colour = (150, 157, 168)
# From Okabe and Ito's palette, which people with any kind of colour vision can tell apart.
MODEL: Colour = (236, 164, 30)
REAL: Colour = (92, 184, 236)
ALERT: Colour = (232, 116, 60)
GOOD: Colour = (32, 178, 134)
DIFFERENCE: Colour = (206, 182, 84)
RECONSTRUCTION: Colour = (204, 121, 167)

MARGIN = 20
GAP = 16
SMALL, NORMAL, LARGE, TITLE = 12, 14, 19, 24


def font(size: int, bold: bool = False) -> pygame.font.Font:
    """Return a font with a height of about `size` pixels; this needs no display."""
    if not pygame.font.get_init():
        # Gymnasium's own environments end pygame as a whole when they are closed, and all fonts with it.
        pygame.font.init()
        _load_font.cache_clear()
    return _load_font(size, bold)


@functools.cache
def _load_font(size: int, bold: bool) -> pygame.font.Font:
    path = _dejavu(bold)
    # pygame's own font, which is bold and smaller for the same number, stands in where matplotlib's is missing.
    return pygame.font.Font(path, size) if path else pygame.font.Font(None, round(size * 1.5))


def write(
    surface: pygame.Surface,
    text: str,
    place: tuple[int, int],
    *,
    size: int = NORMAL,
    colour: Colour = TEXT,
    bold: bool = False,
    anchor: str = "topleft",
) -> pygame.Rect:
    """Write a line of text with its `anchor` (topleft, midright, center ...) at `place`; return its rectangle."""
    image = _text(text, size, colour, bold)
    rectangle = image.get_rect(**{anchor: place})
    return surface.blit(image, rectangle)


def write_if_fits(
    surface: pygame.Surface, text: str, midleft: tuple[int, int], right: int, colour: Colour = QUIET
) -> None:
    """Write a small line of text that ends before `right`, or else its beginning with dots, or nothing."""
    room = right - midleft[0]
    while text and font(SMALL).size(text)[0] >= room:
        text = f"{text.rstrip('…')[:-1].rstrip()}…" if len(text) > 3 else ""
    write(surface, text, midleft, size=SMALL, colour=colour, anchor="midleft")


def inline(surface: pygame.Surface, name: str, value: str, midleft: tuple[int, int]) -> int:
    """Write a name and its value in one small line; return its right end."""
    right = write(surface, name, midleft, size=SMALL, colour=QUIET, anchor="midleft").right
    return write(surface, value, (right + 6, midleft[1]), size=SMALL, anchor="midleft").right


def inline_width(name: str, value: str) -> int:
    """Return the width in pixels that `inline` takes."""
    return font(SMALL).size(name)[0] + 6 + font(SMALL).size(value)[0]


def pair(surface: pygame.Surface, name: str, value: str, place: tuple[int, int], size: int, colour: Colour) -> None:
    """Write a name above its value."""
    below = write(surface, name, place, size=SMALL, colour=QUIET).bottom
    write(surface, value, (place[0], below), size=size, bold=True, colour=colour)


def signed(value: float, form: str) -> str:
    """Return a number with its sign, unless it rounds to nothing."""
    text = format(value, f"+{form}")
    return text if float(text) else format(0.0, form)


def wrap(text: str, width: int, size: int = NORMAL) -> list[str]:
    """Break a text into lines of at most `width` pixels, between words."""
    lines: list[str] = []
    for word in text.split():
        longer = f"{lines[-1]} {word}" if lines else word
        if lines and font(size).size(longer)[0] <= width:
            lines[-1] = longer
        else:
            lines.append(word)
    return lines


def card(surface: pygame.Surface, rectangle: pygame.Rect, colour: Colour = CARD) -> None:
    """Draw a panel with round corners."""
    pygame.draw.rect(surface, colour, rectangle, border_radius=8)


def pill(surface: pygame.Surface, text: str, midright: tuple[int, int], colour: Colour) -> pygame.Rect:
    """Draw a small label in a border of its colour; return the rectangle it covers."""
    image = _text(text, SMALL, colour, True)
    rectangle = image.get_rect().inflate(20, 10)
    rectangle.midright = midright
    pygame.draw.rect(surface, CARD, rectangle, border_radius=rectangle.height // 2)
    pygame.draw.rect(surface, colour, rectangle, width=1, border_radius=rectangle.height // 2)
    surface.blit(image, image.get_rect(center=rectangle.center))
    return rectangle


@functools.lru_cache(maxsize=1024)
def _text(text: str, size: int, colour: Colour, bold: bool) -> pygame.Surface:
    """Return a line of text, kept from one picture to the next; nobody may draw on it."""
    return font(size, bold).render(text, True, colour)


def show_centred(surface: pygame.Surface, picture: pygame.Surface) -> None:
    """Show a picture in the middle of the surface, made smaller if it would not fit."""
    place = centred(picture.get_size(), surface.get_rect())
    if place.size != picture.get_size():
        picture = pygame.transform.smoothscale(picture, place.size)
    surface.blit(picture, place)


def centred(size: tuple[int, int], area: pygame.Rect) -> pygame.Rect:
    """Return the middle of an area in this size, or as much smaller as it takes to fit."""
    place = pygame.Rect((0, 0), size)
    place.center = area.center
    return place if area.contains(place) else place.fit(area)


def _dejavu(bold: bool) -> str | None:
    """Return the path of DejaVu Sans as matplotlib ships it; matplotlib is found, but not imported."""
    package = importlib.util.find_spec("matplotlib")
    if package is None or package.origin is None:
        return None
    name = "DejaVuSans-Bold.ttf" if bold else "DejaVuSans.ttf"
    path = Path(package.origin).parent / "mpl-data" / "fonts" / "ttf" / name
    return str(path) if path.is_file() else None
