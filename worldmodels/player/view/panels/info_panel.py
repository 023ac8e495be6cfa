"""The card with the info about the moment, over the worlds."""

from __future__ import annotations

from collections.abc import Sequence

import pygame

from worldmodels.player.view import theme
from worldmodels.player.view.canvas import Canvas
from worldmodels.player.view.theme import QUIET, SMALL

ROW, EDGE, BETWEEN, APART = 15, 10, 10, 22
"""Units of a line's height, of the card's edge, between a name and its value, and between two columns."""
Rows = Sequence[tuple[str, str]]


def draw_info(canvas: Canvas, place: pygame.Rect, room: pygame.Rect, rows: Rows) -> None:
    """Draw names and values in columns, in the lower left corner of a place; the card is larger if it has to be.

    Args:
        room: the card is never wider.
    """
    lines = max(1, (place.height - 2 * EDGE) // ROW)
    while _width(widths := _widths(canvas, parts := _parts(rows, lines))) > room.width and len(parts) > 1:
        lines += 1
    card = pygame.Rect(0, 0, _width(widths), ROW * len(parts[0]) + 2 * EDGE)
    card.bottomleft = min(place.left, room.right - card.width), place.bottom
    canvas.card(card)
    canvas.border(theme.LINE, card, radius=8)
    left = card.left + EDGE
    for part, width in zip(parts, widths, strict=True):
        right = left + width
        for i, (name, value) in enumerate(part):
            y = card.top + EDGE + ROW * i + ROW // 2
            canvas.write(name, (left, y), size=SMALL, colour=QUIET, anchor="midleft")
            canvas.write(value, (right, y), size=SMALL, anchor="midright")
        left = right + APART


def _parts(rows: Rows, lines: int) -> list[Rows]:
    return [rows[i : i + lines] for i in range(0, len(rows), lines)]


def _widths(canvas: Canvas, parts: Sequence[Rows]) -> list[int]:
    """Return the width of each column."""
    widest = [[max(canvas.width(row[i], SMALL) for row in part) for i in (0, 1)] for part in parts]
    return [name + BETWEEN + value for name, value in widest]


def _width(widths: Sequence[int]) -> int:
    """Return the width of the card."""
    return sum(widths) + APART * (len(widths) - 1) + 2 * EDGE
