"""The panel of a box of actions: a bar for each number, which the mouse can drag, and the policy's choice as a mark."""

from __future__ import annotations

import pygame

from worldmodels.player.session.snapshot import BoxPanel, plain
from worldmodels.player.view import theme
from worldmodels.player.view.canvas import Canvas
from worldmodels.player.view.panels.bars import Bar, BarRow, bar_span, position
from worldmodels.player.view.theme import QUIET, SMALL

LOWEST_ROW, HIGHEST_ROW = 13, 26
"""Least and greatest height of a number's row."""
HEAD, BETWEEN = 20, 8
"""Units of the first line, and between columns."""
KEYS, INDEX, VALUE = 34, 22, 40
"""Widths of a number's keys, of its index where it has none, and of its value."""
NARROWEST_PLOT = 30
"""The width of a bar beside which its value may stand."""
COLUMN = 104
"""The width that a column of numbers would like."""


def draw_box_panel(canvas: Canvas, area: pygame.Rect, panel: BoxPanel) -> None:
    """Draw each number as a bar from its lowest to its highest value, with its keys, and the policy's choice."""
    canvas.card(area)
    inner = _inner(area)
    right = canvas.write("action", inner.topleft, size=SMALL, colour=QUIET).right
    if panel.value is not None:
        width = canvas.inline_width("value", plain(panel.value, 2))
        canvas.inline("value", plain(panel.value, 2), (inner.right - width, inner.top + 7))
    if panel.choice is not None:
        canvas.fill(theme.REAL, pygame.Rect(right + 14, inner.top + 2, 2, 11))
        canvas.write("policy", (right + 21, inner.top), size=SMALL, colour=QUIET)
    for number, place in enumerate(_places(area, panel)):
        _draw_number(canvas, place, panel, number)


def wished_width(panel: BoxPanel) -> int:
    """Return the width that the panel would like."""
    return max(330, -(-len(panel.names) // 4) * COLUMN)


def number_at(area: pygame.Rect, panel: BoxPanel, point: tuple[int, int]) -> int | None:
    """Return the number whose bar is at a point of the panel, if there is one."""
    for number, place in enumerate(_places(area, panel)):
        if _plot(place, panel).inflate(8, 0).collidepoint(point):
            return number
    return None


def value_at(area: pygame.Rect, panel: BoxPanel, number: int, x: int) -> float:
    """Return the value, -1 to 1, to which a mouse at `x` pushes a number."""
    plot = _plot(_places(area, panel)[number], panel)
    return min(max(2.0 * (x - plot.left) / max(plot.width - 1, 1) - 1.0, -1.0), 1.0)


def _inner(area: pygame.Rect) -> pygame.Rect:
    return area.inflate(-24, -16)


def _places(area: pygame.Rect, panel: BoxPanel) -> list[pygame.Rect]:
    """Return the rectangle of each number's row, in as many columns as it takes."""
    inner, count = _inner(area), len(panel.names)
    columns = -(-count // max(1, (inner.height - HEAD) // LOWEST_ROW))
    rows = -(-count // columns)
    width = (inner.width - BETWEEN * (columns - 1)) // columns
    height = min(HIGHEST_ROW, (inner.height - HEAD) // rows)
    top = inner.top + HEAD
    return [
        pygame.Rect(inner.left + i // rows * (width + BETWEEN), top + i % rows * height, width, height)
        for i in range(count)
    ]


def _plot(place: pygame.Rect, panel: BoxPanel) -> pygame.Rect:
    keys = KEYS if panel.keys else INDEX
    width = place.width - keys
    if width - VALUE >= NARROWEST_PLOT:
        width -= VALUE
    return pygame.Rect(place.left + keys, place.top + 2, width, place.height - 4)


def _draw_number(canvas: Canvas, place: pygame.Rect, panel: BoxPanel, number: int) -> None:
    chosen = number == panel.slider
    text = panel.keys[number] if panel.keys else str(number)
    colour = theme.MODEL if chosen else theme.TEXT if panel.keys else QUIET
    canvas.write(text, (place.left, place.centery), size=SMALL, colour=colour, bold=chosen, anchor="midleft")
    value, plot = panel.values[number], _plot(place, panel)
    if plot.right < place.right:
        canvas.write(plain(value, 2), (place.right, place.centery), size=SMALL, anchor="midright", room=VALUE - 2)
    row = BarRow("", (Bar(value, theme.TEXT),), panel.low[number], panel.high[number])
    canvas.fill(theme.LINE, plot)
    left, width = bar_span(row, value, plot)
    canvas.fill(theme.MODEL if chosen else QUIET, pygame.Rect(left, plot.top, width, plot.height))
    if row.low < 0 < row.high:
        zero = position(row, 0.0, plot)
        canvas.down(theme.TEXT, zero, plot.top, plot.bottom)
    if panel.choice is not None:
        x = position(row, panel.choice[number], plot)
        canvas.fill(theme.REAL, pygame.Rect(x - 1, plot.top - 1, 3, plot.height + 2))
