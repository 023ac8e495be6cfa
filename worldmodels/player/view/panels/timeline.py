"""The time line of the last few hundred steps: errors of the model beside rewards and ends, the newest at the right."""

from __future__ import annotations

import math
from collections.abc import Sequence

import pygame

from worldmodels.player.session.snapshot import DIVERGENCE_ERROR, TimelineEntry
from worldmodels.player.view import theme
from worldmodels.player.view.canvas import Canvas
from worldmodels.player.view.theme import QUIET, SMALL

LABELS = 92
"""Width of the names of the rows, with the scale of the error."""
FULL_ERROR = 48.0
"""The mean absolute difference, 0 to 255, that fills the row."""
SHARES = {"error": 4, "rewards": 2, "goes on": 3}
"""The height of each row, in proportion."""
GAP = 6


def draw_timeline(
    canvas: Canvas,
    area: pygame.Rect,
    history: Sequence[TimelineEntry],
    of_images: bool = True,
    alone: bool = False,
    present: int = -1,
    length: int = 0,
) -> None:
    """Draw rows for the error, both rewards and the continuation, and a line for each put-back of the model.

    Args:
        of_images: the error is that of images, and not of numbers.
        alone: there is no reality, and so no error.
        present: the place of the present, if what is later was taken back.
        length: the entries that fill the time line from its left on; 0 shows the newest, to the right.
    """
    canvas.card(area)
    plot, step = _plot(area, length)
    rows = _rows(plot, [name for name in SHARES if not (alone and name == "error")])
    shown = history if length else history[-int(plot.width / step) :]
    first = plot.left if length else plot.right - step * len(shown)
    columns = [(int(first + step * i), entry) for i, entry in enumerate(shown)]
    wide = math.ceil(step)
    for name, row in rows.items():
        text = error_name(of_images) if name == "error" else name
        canvas.write(text, (area.left + 10, row.centery), size=SMALL, colour=QUIET, anchor="midleft")
    if "error" in rows:
        _draw_scale(canvas, rows["error"], of_images)
    if columns:
        steps = [(x, entry) for x, entry in columns if not entry.mark]
        _draw_models(canvas, rows, steps, wide, max(len(entry.models) for entry in shown))
        for x, entry in steps:
            _rewards(canvas, rows["rewards"], x, wide, entry, alone)
            if "error" in rows and entry.diverged:
                canvas.fill(theme.ALERT, pygame.Rect(x, plot.top, 2, rows["error"].height))
        for x, entry in columns:
            if entry.mark:
                canvas.down(theme.TEXT if entry.mark == "put back" else theme.REAL, x, plot.top, plot.bottom)
    for row in rows.values():
        canvas.across(theme.LINE, row.left, row.right, row.bottom)
    later = len(history) - 1 - present
    if 0 < later < len(history):
        x = max(plot.left, int(first + step * (len(shown) - later)))
        canvas.fill(theme.MODEL, pygame.Rect(x - 1, plot.top - 4, 3, plot.height + 8))


def entries_back(area: pygame.Rect, x: int, entries: int, length: int = 0) -> int:
    """Return how many of the entries before the last one lies the entry at a place across, at most all of them.

    Args:
        length: as in `draw_timeline`.
    """
    plot, step = _plot(area, length)
    back = entries - 1 - int((x - plot.left) / step) if length else (plot.right - 1 - x) // int(step)
    return min(max(back, 0), entries - 1)


def _plot(area: pygame.Rect, length: int) -> tuple[pygame.Rect, float]:
    """Return the place of the plot, and the width of an entry."""
    plot = pygame.Rect(area.left + LABELS, area.top + 8, area.width - LABELS - 10, area.height - 16)
    widest = 3 if plot.width >= 720 else 2
    return plot, plot.width / length if length else widest


def _rows(plot: pygame.Rect, names: Sequence[str]) -> dict[str, pygame.Rect]:
    """Return the rows of the plot, one below the other."""
    room, whole = plot.height - GAP * (len(names) - 1), sum(SHARES[name] for name in names)
    rows, top = {}, plot.top
    for name in names:
        rows[name] = pygame.Rect(plot.left, top, plot.width, room * SHARES[name] // whole)
        top = rows[name].bottom + GAP
    return rows


def error_name(of_images: bool) -> str:
    """Return the name of the error's row."""
    return "image error" if of_images else "error"


def scale_end(of_images: bool) -> str:
    """Return the error that fills its row: levels of 255 of an image, or a share of the range of numbers."""
    return f"{FULL_ERROR:.0f}" if of_images else "50%"


def _draw_scale(canvas: Canvas, row: pygame.Rect, of_images: bool) -> None:
    """Draw the ends of the scale of the error, and a line at the step where the model left reality."""
    top, bottom = scale_end(of_images), "0"
    canvas.write(top, (row.left - 4, row.top - 2), size=theme.TINY, colour=QUIET, anchor="topright")
    canvas.write(bottom, (row.left - 4, row.bottom + 2), size=theme.TINY, colour=QUIET, anchor="bottomright")
    canvas.across(theme.LINE, row.left, row.right, row.bottom - round(row.height * DIVERGENCE_ERROR / FULL_ERROR))


def _draw_models(
    canvas: Canvas, rows: dict[str, pygame.Rect], steps: Sequence[tuple[int, TimelineEntry]], step: int, count: int
) -> None:
    """Draw the errors and continuations of so many models, each kind from left to right."""
    for i in range(count):
        forecasts = [(x, entry.models[i]) for x, entry in steps if entry.models]
        if "error" in rows:
            share, row = _share(rows["error"], i, count), rows["error"]
            bars = [_bar(share, x, step, one.image_error / FULL_ERROR) for x, one in forecasts]
            _fill(canvas, [(bar, theme.DIFFERENCE) for bar in bars])
            seen = [(x, one.reconstruction_error) for x, one in forecasts if one.reconstruction_error is not None]
            tops = [(x, _bar(row, x, step, error / FULL_ERROR).top - 1) for x, error in seen]
            _fill(canvas, [(pygame.Rect(x, top, step, 2), theme.RECONSTRUCTION) for x, top in tops])
        share = _share(rows["goes on"], i, count)
        colours = [theme.ALERT if one.continuation < 0.5 else theme.GOOD for _, one in forecasts]
        bars = [_bar(share, x, step, one.continuation) for x, one in forecasts]
        _fill(canvas, list(zip(bars, colours, strict=True)))


def _bar(row: pygame.Rect, x: int, width: int, share: float) -> pygame.Rect:
    height = round(row.height * min(1.0, max(0.0, share)))
    return pygame.Rect(x, row.bottom - height, width, height)


def _fill(canvas: Canvas, bars: Sequence[tuple[pygame.Rect, theme.Colour]]) -> None:
    """Fill bars that follow each other from left to right; those that touch and are alike at once, for speed."""
    wide: list[tuple[pygame.Rect, theme.Colour]] = []
    for bar, colour in bars:
        if wide and wide[-1][1] == colour and _continues(wide[-1][0], bar):
            wide[-1][0].width += bar.width
        elif bar.height:
            wide.append((bar, colour))
    for bar, colour in wide:
        canvas.fill(colour, bar)


def _continues(wide: pygame.Rect, bar: pygame.Rect) -> bool:
    return (bar.left, bar.top, bar.height) == (wide.right, wide.top, wide.height)


def _share(row: pygame.Rect, index: int, models: int) -> pygame.Rect:
    """Return a model's share of a row; of two models, the first has the upper half."""
    height = row.height // models
    return pygame.Rect(row.left, row.top + index * height, row.width, height - (models > 1))


def _rewards(canvas: Canvas, row: pygame.Rect, x: int, width: int, entry: TimelineEntry, alone: bool) -> None:
    """Draw real rewards above the middle and the model's below it, unless they round to nothing.

    The rewards of a model alone have the whole row.
    """
    half = row.height if alone else row.height // 2
    values = [] if alone else [(entry.real_reward, row.top, theme.REAL)]
    top = row.top if alone else row.top + half + 1
    values += [(forecast.reward, top, theme.MODEL) for forecast in entry.models[:1]]
    for value, top, colour in values:
        if abs(value) >= 0.05:
            tall = max(1, half - 2 if abs(value) >= 0.5 else half // 2)
            place = pygame.Rect(x, top + half - 2 - tall, width + 1, tall)
            canvas.fill(colour if value > 0 else theme.ALERT, place)
