"""The time line of the last few hundred steps: errors of the model beside rewards and ends, the newest at the right."""

from __future__ import annotations

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
) -> None:
    """Draw rows for the error, both rewards and the continuation, and lines where the model was put back.

    Args:
        of_images: the error is that of images, and not of numbers.
        alone: there is no reality, and so no error.
    """
    canvas.card(area)
    plot = pygame.Rect(area.left + LABELS, area.top + 8, area.width - LABELS - 10, area.height - 16)
    rows = _rows(plot, [name for name in SHARES if not (alone and name == "error")])
    step = 3 if plot.width >= 720 else 2
    shown = history[-(plot.width // step) :]
    columns = [(plot.right - step * (len(shown) - i), entry) for i, entry in enumerate(shown)]
    for name, row in rows.items():
        text = error_name(of_images) if name == "error" else name
        canvas.write(text, (area.left + 10, row.centery), size=SMALL, colour=QUIET, anchor="midleft")
    if "error" in rows:
        _draw_scale(canvas, rows["error"], of_images)
    for x, entry in columns:
        _draw_entry(canvas, rows, plot, x, step, entry, alone)
    for row in rows.values():
        canvas.across(theme.LINE, row.left, row.right, row.bottom)


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
    """Draw the ends of the scale of the error, and a line from where on the model has left reality."""
    top, bottom = scale_end(of_images), "0"
    canvas.write(top, (row.left - 4, row.top - 2), size=theme.TINY, colour=QUIET, anchor="topright")
    canvas.write(bottom, (row.left - 4, row.bottom + 2), size=theme.TINY, colour=QUIET, anchor="bottomright")
    canvas.across(theme.LINE, row.left, row.right, row.bottom - round(row.height * DIVERGENCE_ERROR / FULL_ERROR))


def _draw_entry(
    canvas: Canvas,
    rows: dict[str, pygame.Rect],
    plot: pygame.Rect,
    x: int,
    step: int,
    entry: TimelineEntry,
    alone: bool,
) -> None:
    """Draw one step, or a line through all rows for a mark."""
    if entry.mark:
        canvas.down(theme.TEXT if entry.mark == "put back" else theme.REAL, x, plot.top, plot.bottom)
        return
    count, error = len(entry.models), rows.get("error")
    for i, forecast in enumerate(entry.models):
        if error:
            _bar(canvas, _share(error, i, count), x, step, forecast.image_error / FULL_ERROR, theme.DIFFERENCE)
        if error and forecast.reconstruction_error is not None:
            height = round(error.height * min(1.0, forecast.reconstruction_error / FULL_ERROR))
            canvas.fill(theme.RECONSTRUCTION, pygame.Rect(x, error.bottom - height - 1, step, 2))
        colour = theme.ALERT if forecast.continuation < 0.5 else theme.GOOD
        _bar(canvas, _share(rows["goes on"], i, count), x, step, forecast.continuation, colour)
    if error and entry.diverged:
        canvas.fill(theme.ALERT, pygame.Rect(x, plot.top, 2, error.height))
    _rewards(canvas, rows["rewards"], x, step, entry, alone)


def _bar(canvas: Canvas, row: pygame.Rect, x: int, width: int, share: float, colour: theme.Colour) -> None:
    height = round(row.height * min(1.0, max(0.0, share)))
    if height:
        canvas.fill(colour, pygame.Rect(x, row.bottom - height, width, height))


def _share(row: pygame.Rect, index: int, models: int) -> pygame.Rect:
    """Return a model's share of a row; of two models, the first has the upper half."""
    height = row.height // models
    return pygame.Rect(row.left, row.top + index * height, row.width, height - (models > 1))


def _rewards(canvas: Canvas, row: pygame.Rect, x: int, width: int, entry: TimelineEntry, alone: bool) -> None:
    """Draw real rewards above the middle and the model's below it, unless they round to nothing.

    Of a model alone, its rewards have the whole row.
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
