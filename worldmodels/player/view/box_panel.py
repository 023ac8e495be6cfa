"""The panel of a box of actions: a bar for each number, which the mouse can drag, and the policy's choice as a mark."""

from __future__ import annotations

import pygame

from worldmodels.player.session.snapshot import BoxPanel
from worldmodels.player.view import theme
from worldmodels.player.view.bars import Bar, BarRow, bar_span, position
from worldmodels.player.view.theme import QUIET, SMALL, write

ROWS = 6
"""Rows in a column of the panel."""
HEAD, BETWEEN = 20, 14
"""Pixels of the first line, and between columns."""
KEYS, VALUE = 34, 38
"""Widths in pixels of a number's keys and of its value."""


def draw_box_panel(surface: pygame.Surface, area: pygame.Rect, panel: BoxPanel) -> None:
    """Draw each number as a bar from its lowest to its highest value, with its keys, and the policy's choice."""
    theme.card(surface, area)
    inner = _inner(area)
    right = write(surface, "action", inner.topleft, size=SMALL, colour=QUIET).right
    if panel.value is not None:
        width = theme.inline_width("value", f"{panel.value:.2f}")
        theme.inline(surface, "value", f"{panel.value:.2f}", (inner.right - width, inner.top + 7))
    if panel.choice is not None:
        pygame.draw.rect(surface, theme.REAL, (right + 14, inner.top + 2, 2, 11))
        write(surface, "policy", (right + 21, inner.top), size=SMALL, colour=QUIET)
    for number, place in enumerate(_places(area, panel)):
        _draw_number(surface, place, panel, number)


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
    columns = -(-count // ROWS)
    rows = -(-count // columns)
    width = (inner.width - BETWEEN * (columns - 1)) // columns
    height = min(26, (inner.height - HEAD) // rows)
    top = inner.top + HEAD
    return [
        pygame.Rect(inner.left + i // rows * (width + BETWEEN), top + i % rows * height, width, height)
        for i in range(count)
    ]


def _plot(place: pygame.Rect, panel: BoxPanel) -> pygame.Rect:
    keys = KEYS if panel.keys else 22
    return pygame.Rect(place.left + keys, place.top + 2, place.width - keys - VALUE, place.height - 4)


def _draw_number(surface: pygame.Surface, place: pygame.Rect, panel: BoxPanel, number: int) -> None:
    chosen = number == panel.slider
    text = panel.keys[number] if panel.keys else str(number)
    colour = theme.MODEL if chosen else theme.TEXT if panel.keys else QUIET
    write(surface, text, (place.left, place.centery), size=SMALL, colour=colour, bold=chosen, anchor="midleft")
    value = panel.values[number]
    write(surface, f"{value:.2f}", (place.right, place.centery), size=SMALL, anchor="midright")
    plot = _plot(place, panel)
    row = BarRow("", (Bar(value, theme.TEXT),), panel.low[number], panel.high[number])
    pygame.draw.rect(surface, theme.LINE, plot)
    left, width = bar_span(row, value, plot)
    pygame.draw.rect(surface, theme.MODEL if chosen else QUIET, (left, plot.top, width, plot.height))
    if row.low < 0 < row.high:
        zero = position(row, 0.0, plot)
        pygame.draw.line(surface, theme.TEXT, (zero, plot.top), (zero, plot.bottom - 1))
    if panel.choice is not None:
        x = position(row, panel.choice[number], plot)
        pygame.draw.rect(surface, theme.REAL, (x - 1, plot.top - 1, 3, plot.height + 2))
