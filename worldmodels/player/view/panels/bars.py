"""Numbers as bars: each in a row with its name, the true value above the model's, on the scale of earlier values."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import pygame

from worldmodels.player.session.snapshot import plain
from worldmodels.player.session.worlds.frames import NARROWEST, Ranges, Vectors
from worldmodels.player.view import theme
from worldmodels.player.view.canvas import Canvas
from worldmodels.player.view.theme import QUIET, SMALL

LOWEST_ROW, HIGHEST_ROW = 15, 72
"""Units from one row to the next."""
NAME, VALUE = 84, 50
"""Widths of a name, at most, and of each value."""
NARROWEST_PLOT = 60
ROOMY = 260
"""The width from which small bars have names and values."""


@dataclass(frozen=True)
class Bar:
    """A bar is one number of a row.

    Attributes:
        spread: the standard deviation around the value; 0 if it was not measured.
    """

    value: float
    colour: theme.Colour
    spread: float = 0.0


@dataclass(frozen=True)
class BarRow:
    """A row of bars on one scale, from `low` to `high`, which begin at 0 or at the end that is nearest to it."""

    name: str
    bars: tuple[Bar, ...]
    low: float
    high: float


def value_rows(
    ranges: Ranges, shown: Sequence[tuple[Vectors, theme.Colour]], spreads: Vectors | None = None
) -> tuple[BarRow, ...]:
    """Return a row for each number that the last of `shown` has, with a bar of each of `shown` that has it.

    Args:
        shown: vectors and the colour of their bars; the first are real ones.
        spreads: the standard deviations of the last of `shown`.
    """
    last = shown[-1][0]
    rows = []
    for part, index, name in _numbers(last):
        low, high = _range(ranges, part, index, float(last[part][index]))
        bars = [Bar(float(vectors[part][index]), colour) for vectors, colour in shown if part in vectors]
        if spreads:
            bars[-1] = Bar(bars[-1].value, bars[-1].colour, float(spreads[part][index]))
        rows.append(BarRow(name, tuple(bars), low, high))
    return tuple(rows)


def difference_rows(ranges: Ranges, predicted: Vectors, real: Vectors) -> tuple[BarRow, ...]:
    """Return a row for how far each predicted number is above the real one; a full bar is the range of the number."""
    rows = []
    for part, index, name in _numbers(predicted):
        low, high = _range(ranges, part, index, float(real[part][index]))
        difference = float(predicted[part][index] - real[part][index])
        rows.append(BarRow(name, (Bar(difference, theme.DIFFERENCE),), low - high, high - low))
    return tuple(rows)


def draw_bars(canvas: Canvas, area: pygame.Rect, rows: Sequence[BarRow]) -> None:
    """Draw as many rows as fit, and how many more there are."""
    room = max(1, area.height // LOWEST_ROW)
    shown = rows if len(rows) <= room else rows[: max(1, room - 1)]
    height = min(HIGHEST_ROW, area.height // max(1, len(shown) + (len(shown) < len(rows))))
    name = min(NAME, 10 + max((canvas.width(row.name, SMALL) for row in shown), default=0))
    for i, row in enumerate(shown):
        place = pygame.Rect(area.left, area.top + i * height, area.width, height)
        _draw_row(canvas, place, row, name)
    if len(shown) < len(rows):
        y = area.top + len(shown) * height + height // 2
        _write(canvas, f"and {len(rows) - len(shown)} more", (area.left, y), area.width)


def draw_small_bars(canvas: Canvas, area: pygame.Rect, rows: Sequence[BarRow]) -> None:
    """Draw bars in the thinnest rows that fit; with much room, draw their names too."""
    if area.width >= ROOMY and area.height >= LOWEST_ROW * len(rows):
        draw_bars(canvas, area, rows)
        return
    height = max(2, area.height // max(1, len(rows)))
    for i, row in enumerate(rows[: area.height // height]):
        _draw_row_bars(canvas, pygame.Rect(area.left, area.top + i * height, area.width, height), row)


def bar_span(row: BarRow, value: float, plot: pygame.Rect) -> tuple[int, int]:
    """Return the left end and the width of a bar, cut at the ends of the scale."""
    origin, end = (position(row, number, plot) for number in (min(max(0.0, row.low), row.high), value))
    return min(origin, end), max(1, abs(end - origin))


def position(row: BarRow, value: float, plot: pygame.Rect) -> int:
    """Return the place of a value on the scale of a row, cut at its ends."""
    share = (value - row.low) / max(row.high - row.low, NARROWEST)
    return plot.left + round(min(max(share, 0.0), 1.0) * (plot.width - 1))


def _draw_row(canvas: Canvas, place: pygame.Rect, row: BarRow, name: int) -> None:
    _write(canvas, row.name, (place.left, place.centery), name - 4)
    plot = pygame.Rect(place.left + name, place.top, place.width - name, place.height)
    values = row.bars if plot.width >= NARROWEST_PLOT + VALUE * len(row.bars) else row.bars[-1:]
    if plot.width >= NARROWEST_PLOT + VALUE * len(values):
        for i, bar in enumerate(values):
            x = place.right - VALUE * (len(values) - 1 - i)
            canvas.write(number_text(bar.value), (x, place.centery), size=SMALL, colour=bar.colour, anchor="midright")
        plot.width -= VALUE * len(values)
    _draw_row_bars(canvas, plot, row)


def _draw_row_bars(canvas: Canvas, plot: pygame.Rect, row: BarRow) -> None:
    """Draw the bars of a row one above the other, and a line at 0."""
    thick = max(1, min(15, (plot.height - 4) // max(1, len(row.bars)) - 1))
    top = plot.centery - (len(row.bars) * (thick + 1)) // 2
    canvas.fill(theme.LINE, pygame.Rect(plot.left, top - 2, plot.width, len(row.bars) * (thick + 1) + 3))
    for i, bar in enumerate(row.bars):
        left, width = bar_span(row, bar.value, plot)
        y = top + i * (thick + 1)
        canvas.fill(bar.colour, pygame.Rect(left, y, width, thick))
        if bar.spread:
            ends = [position(row, bar.value + sign * bar.spread, plot) for sign in (-1, 1)]
            canvas.across(theme.TEXT, ends[0], ends[1] + 1, y + thick // 2)
    if row.low < 0 < row.high:
        x = position(row, 0.0, plot)
        canvas.down(QUIET, x, top - 2, top + len(row.bars) * (thick + 1) + 1)


def _write(canvas: Canvas, text: str, midleft: tuple[int, int], room: int) -> None:
    canvas.write(text, midleft, size=SMALL, colour=QUIET, anchor="midleft", room=room)


def _numbers(vectors: Vectors) -> list[tuple[str, int, str]]:
    """Return part, index and name of each number: "0", "1" of a vector without a name, "speed" or "joints 3" else."""
    return [
        (part, index, f"{part} {index}".strip() if len(array) > 1 or not part else part)
        for part, array in vectors.items()
        for index in range(len(array))
    ]


def _range(ranges: Ranges, part: str, index: int, value: float) -> tuple[float, float]:
    """Return the range of a number; that of one that was not seen yet has the value in its middle."""
    low, high = (float(end[index]) for end in ranges[part]) if part in ranges else (value, value)
    return (low, high) if high - low >= NARROWEST else (value - NARROWEST / 2, value + NARROWEST / 2)


def number_text(value: float) -> str:
    """Return a number of at most seven characters, without a sign if it rounds to 0."""
    return plain(value, 2) if abs(value) < 1000 else f"{value:.2g}"
