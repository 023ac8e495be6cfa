"""Colours, fonts and sizes of the player's pictures."""

from __future__ import annotations

import functools
import importlib.util
import os
from pathlib import Path

os.environ.setdefault("PYGAME_HIDE_SUPPORT_PROMPT", "1")

import pygame  # noqa: E402  (its greeting is silenced first)

from worldmodels.player.session.snapshot import plain  # noqa: E402

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
MOTIONS: tuple[Colour, ...] = (REAL, GOOD, RECONSTRUCTION, (240, 228, 66))
"""Colours of the motions along which a model carries pixels."""

TINY, SMALL, NORMAL, LARGE, TITLE = 9, 12, 14, 19, 24


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


def signed(value: float, decimals: int | None = None) -> str:
    """Return a number as `plain` does, with its sign unless it rounds to nothing."""
    text = plain(value, decimals)
    return f"+{text}" if float(text) > 0 else text


def _dejavu(bold: bool) -> str | None:
    """Return the path of DejaVu Sans as matplotlib ships it; matplotlib is found, but not imported."""
    package = importlib.util.find_spec("matplotlib")
    if package is None or package.origin is None:
        return None
    name = "DejaVuSans-Bold.ttf" if bold else "DejaVuSans.ttf"
    path = Path(package.origin).parent / "mpl-data" / "fonts" / "ttf" / name
    return str(path) if path.is_file() else None
