"""The pane of a model's inside: a row of classes for each group of latents, the chosen group, and the readings of the
probes."""

from __future__ import annotations

import pygame

from worldmodels.player.session.controls.key_table import KeyTable, LatentCommand
from worldmodels.player.session.latents.latents_snapshot import DrawingSnapshot, LatentsSnapshot, Reading
from worldmodels.player.view import theme
from worldmodels.player.view.canvas import Canvas
from worldmodels.player.view.panels.bars import draw_bars
from worldmodels.player.view.panels.columns import in_colour
from worldmodels.player.view.panels.latent_texts import (
    facts,
    is_known,
    key_hints,
    likely_rows,
    probability_map,
    reading_texts,
    source_map,
    source_rows,
)
from worldmodels.player.view.theme import QUIET, SMALL

LINE, MARKS, BETWEEN, SPACE = 15, 14, 24, 16
"""Height of a line, width of the marks beside the rows of classes, and space between the parts and between texts."""
HIGHEST_ROW, WIDEST_CLASS = 20, 12
CHOSEN, NARROW_CHOSEN = 190, 116
"""Width of the classes of the chosen group, with and without room for numbers beside the bars."""
NAME, VALUE = 112, 46
"""Least widths of the name of a variable, and of each number that is read."""
LEAST = 40
"""The width and height below which nothing is drawn but texts."""
MOST_STAGES = 4
"""The number of calls, at most, whose frames are shown: the last ones."""
SIDE_BY_SIDE, ROOMY = 560, 700
"""The width from which the parts stand side by side, and from which the chosen group has numbers beside its bars."""
HEADS = (("true", theme.REAL), ("seen", theme.RECONSTRUCTION), ("model", theme.MODEL), ("known", QUIET))
TABLE, WIDEST_TABLE = NAME + VALUE * len(HEADS), 420
"""Least and greatest width of a table of readings; a smaller table omits the explained share."""


def draw_latents(canvas: Canvas, area: pygame.Rect, snapshot: LatentsSnapshot, keys: KeyTable) -> None:
    """Draw all of it, as much as there is room for."""
    canvas.card(area)
    inner = area.inflate(-24, -12)
    told = _lines(canvas, facts(snapshot), inner.width, False)[: 1 if inner.width >= SIDE_BY_SIDE else 2]
    hints = _lines(canvas, key_hints(snapshot, keys), inner.width, True)
    _write_lines(canvas, inner.topleft, told, False)
    _write_lines(canvas, (inner.left, inner.bottom - LINE * len(hints)), hints, True)
    top = inner.top + LINE * len(told) + 5
    body = pygame.Rect(inner.left, top, inner.width, inner.bottom - LINE * len(hints) - 4 - top)
    if min(body.size) < LEAST:
        return
    classes, chosen, readings = _places(body, snapshot)
    if snapshot.drawing:
        pictures, readings = _places_of_drawing(body)
        _draw_drawing(canvas, pictures, snapshot.drawing)
    elif snapshot.classes:
        _draw_classes(canvas, classes, snapshot)
        draw_bars(canvas, chosen, likely_rows(snapshot)[: max(1, chosen.height // LINE)])
    else:
        _wrap(canvas, classes, snapshot.why_no_latents)
    if snapshot.readings:
        _draw_readings(canvas, readings, snapshot, keys.label(LatentCommand.MORE))
    else:
        _wrap(canvas, readings, snapshot.why_no_readings)


def _places(body: pygame.Rect, snapshot: LatentsSnapshot) -> tuple[pygame.Rect, pygame.Rect, pygame.Rect]:
    """Return the places of all classes, of the chosen group's classes, and of the readings."""
    groups, classes = snapshot.probabilities.shape
    wide = body.width >= SIDE_BY_SIDE
    beside = CHOSEN if body.width >= ROOMY else NARROW_CHOSEN
    share = body.width * (3 if snapshot.readings else 5) // 10 if wide else body.width - beside - BETWEEN
    width = min(share, max(MARKS + WIDEST_CLASS * classes, CHOSEN)) if groups else body.width
    high = body.height if wide else body.height * 2 // 5
    grid = pygame.Rect(body.left, body.top, width, min(high, HIGHEST_ROW * groups) if groups else high)
    chosen = pygame.Rect(grid.right + BETWEEN, body.top, beside, high)
    if wide and groups:
        left = chosen.right + BETWEEN
        return grid, chosen, pygame.Rect(left, body.top, body.right - left, body.height)
    below = body.top + (high if groups else LINE) + 8
    return grid, chosen, pygame.Rect(body.left, below, body.width, body.bottom - below)


def _places_of_drawing(body: pygame.Rect) -> tuple[pygame.Rect, pygame.Rect]:
    """Return the places of the pictures of a drawing, and of the readings."""
    if body.width >= SIDE_BY_SIDE:
        width = body.width * 3 // 5
        rest = pygame.Rect(body.left + width + BETWEEN, body.top, body.width - width - BETWEEN, body.height)
        return pygame.Rect(body.topleft, (width, body.height)), rest
    high = body.height * 3 // 5
    below = body.top + high + 8
    return pygame.Rect(body.topleft, (body.width, high)), pygame.Rect(body.left, below, body.width, body.bottom - below)


def _draw_drawing(canvas: Canvas, area: pygame.Rect, drawing: DrawingSnapshot) -> None:
    """Draw the frame that each call predicts, the origin of each pixel, and the share of each picture."""
    beside = CHOSEN if area.width >= ROOMY else NARROW_CHOSEN
    calls = len(drawing.stages)
    numbered = [(f"call {i + 1}", drawing.stages[i]) for i in range(max(0, calls - MOST_STAGES), calls)]
    pictures = [*numbered, ("origin", source_map(drawing))]
    side = min(area.height - LINE, (area.width - beside) // len(pictures) - SPACE)
    if side < LEAST // 2:
        return
    for i, (label, picture) in enumerate(pictures):
        left = area.left + i * (side + SPACE)
        canvas.write(label, (left, area.top), size=SMALL, colour=QUIET, room=side)
        canvas.picture(in_colour(picture), pygame.Rect(left, area.top + LINE, side, side))
    left = area.left + len(pictures) * (side + SPACE)
    draw_bars(canvas, pygame.Rect(left, area.top, min(area.right - left, CHOSEN), area.height), source_rows(drawing))


def _draw_classes(canvas: Canvas, area: pygame.Rect, snapshot: LatentsSnapshot) -> None:
    """Draw a row for each group: how probable each class was, the one that it has, and whether it is held."""
    plot = pygame.Rect(area.left + MARKS, area.top, area.width - MARKS, area.height)
    place = canvas.pixels(plot)
    groups, classes = snapshot.probabilities.shape
    picture = pygame.surfarray.make_surface(probability_map(snapshot).swapaxes(0, 1))
    canvas.surface.blit(pygame.transform.scale(picture, place.size), place)
    wide, high = plot.width / classes, plot.height / groups
    for group, (own, held) in enumerate(zip(snapshot.classes, snapshot.held, strict=True)):
        top, bottom = plot.top + round(group * high), plot.top + round((group + 1) * high)
        if group == snapshot.chosen:
            canvas.border(theme.TEXT, pygame.Rect(plot.left - 1, top - 1, plot.width + 2, bottom - top + 2))
            canvas.write("›", (area.left, (top + bottom) // 2 - 1), size=SMALL, bold=True, anchor="midleft")
        left, size = plot.left + round(own * wide), max(3, round(wide))
        canvas.border(theme.MODEL, pygame.Rect(left, top, size, bottom - top), 2 if size > 6 else 1)
        if held >= 0:
            canvas.fill(theme.ALERT, pygame.Rect(plot.left - 5, top + 1, 4, max(1, bottom - top - 2)))


def _draw_readings(canvas: Canvas, area: pygame.Rect, snapshot: LatentsSnapshot, key: str) -> None:
    """Draw the readings in a table, in as many columns as fit; the key shows those that have no room."""
    readings = snapshot.readings
    rows = max(1, area.height // LINE - 1)
    columns = max(1, min(-(-len(readings) // rows), (area.width + BETWEEN) // (TABLE + BETWEEN)))
    width = (area.width + BETWEEN) // columns - BETWEEN
    fits = len(readings) <= rows * columns
    room = len(readings) if fits else max(1, rows * columns - 1)
    first = snapshot.page % -(-len(readings) // room) * room
    shown = readings[first : first + room]
    for column in range(columns):
        place = pygame.Rect(area.left + column * (width + BETWEEN), area.top, min(width, WIDEST_TABLE), area.height)
        _draw_table(canvas, place, shown[column * rows : (column + 1) * rows])
    if not fits:
        text = f"{key} shows {len(readings) - len(shown)} more"
        canvas.write(text, (place.left, area.top + LINE * rows), size=SMALL, colour=theme.TEXT, room=place.width)


def _draw_table(canvas: Canvas, area: pygame.Rect, readings: tuple[Reading, ...]) -> None:
    heads = HEADS if area.width >= TABLE else HEADS[:-1]
    name = max(area.width - (VALUE + 8) * len(heads), NAME)
    step = (area.width - name) / len(heads)
    ends = [area.left + name + round((i + 1) * step) for i in range(len(heads))]
    for end, (head, colour) in zip(ends, heads, strict=True):
        canvas.write(head, (end, area.top), size=SMALL, colour=colour, anchor="topright")
    for i, reading in enumerate(readings):
        y, known = area.top + LINE * (i + 1), is_known(reading)
        canvas.write(reading.name, (area.left, y), size=SMALL, colour=theme.TEXT if known else QUIET, room=name - 4)
        for end, text, (_, own) in zip(ends, reading_texts(reading), heads, strict=False):
            canvas.write(text, (end, y), size=SMALL, colour=own if known else QUIET, anchor="topright")


def _lines(canvas: Canvas, pairs: list[tuple[str, str]], width: int, bold: bool) -> list[list[tuple[str, str]]]:
    """Divide pairs of texts into lines of this width; the first of each is bold or not."""
    lines: list[list[tuple[str, str]]] = [[]]
    x = 0
    for first, second in pairs:
        wide = canvas.width(first, SMALL, bold=bold) + 6 + canvas.width(second, SMALL) + SPACE
        if lines[-1] and x + wide > width + SPACE:
            lines.append([])
            x = 0
        lines[-1].append((first, second))
        x += wide
    return lines


def _write_lines(canvas: Canvas, place: tuple[int, int], lines: list[list[tuple[str, str]]], bold: bool) -> None:
    """Write lines of names and quiet words for keys, which are bold, or of quiet names and values."""
    colours = (theme.TEXT, QUIET) if bold else (QUIET, theme.TEXT)
    for i, line in enumerate(lines):
        x, y = place[0], place[1] + LINE * i
        for first, second in line:
            right = canvas.write(first, (x, y), size=SMALL, colour=colours[0], bold=bold).right
            x = canvas.write(second, (right + 6, y), size=SMALL, colour=colours[1]).right + SPACE


def _wrap(canvas: Canvas, area: pygame.Rect, text: str) -> None:
    for i, line in enumerate(canvas.wrap(text, area.width, SMALL)):
        canvas.write(line, (area.left, area.top + LINE * i), size=SMALL, colour=QUIET)
