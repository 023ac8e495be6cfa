"""The pane of a model's inside: a row of classes for each group of latents, the chosen group, and what probes read."""

from __future__ import annotations

import math

import numpy as np
import pygame

from worldmodels.player.session.controls import label
from worldmodels.player.session.frames import Frame
from worldmodels.player.session.latent_commands import LATENT_KEYS, LatentCommand
from worldmodels.player.session.latents_snapshot import LatentsSnapshot, Reading
from worldmodels.player.view import theme
from worldmodels.player.view.bars import Bar, BarRow, draw_bars, number_text
from worldmodels.player.view.canvas import Canvas
from worldmodels.player.view.colour_maps import COLOUR_MAP
from worldmodels.player.view.theme import QUIET, SMALL

LINE, MARKS, BETWEEN = 15, 14, 24
"""Height of a line, width of the marks beside the rows of classes, and space between the parts."""
HIGHEST_ROW, WIDEST_CLASS = 20, 12
CHOSEN, NARROW_CHOSEN = 190, 116
"""Width of the classes of the chosen group, and where there is no room for numbers beside the bars."""
NAME, VALUE = 112, 46
"""Least widths of the name of a variable, and of each number that is read."""
LEAST = 60
"""The width and height below which nothing is drawn but texts."""
SIDE_BY_SIDE = 560
"""The width from which the parts stand beside each other."""
MOST_CLASSES = 12
KNOWN = 0.3
"""The share of its variance below which what is read of a variable is no more than a guess."""
HEADS = (("true", theme.REAL), ("seen", theme.RECONSTRUCTION), ("model", theme.MODEL), ("known", QUIET))
TABLE, WIDEST_TABLE = NAME + VALUE * len(HEADS), 420
"""Least and greatest width of a table of what is read; a smaller one does not say what is known."""


def draw_latents(canvas: Canvas, area: pygame.Rect, snapshot: LatentsSnapshot) -> None:
    """Draw all of it, as much as there is room for."""
    canvas.card(area)
    inner = area.inflate(-24, -12)
    _pairs(canvas, inner.topleft, inner.width, facts(snapshot))
    lines = _pairs(canvas, (inner.left, inner.bottom), inner.width, key_hints(snapshot), bold=True, upwards=True)
    body = pygame.Rect(inner.left, inner.top + 20, inner.width, inner.height - 24 - LINE * lines)
    if min(body.size) < LEAST:
        return
    classes, chosen, readings = _places(body, snapshot)
    if snapshot.classes:
        _draw_classes(canvas, classes, snapshot)
        draw_bars(canvas, chosen, likely_rows(snapshot)[: max(1, chosen.height // LINE)])
    else:
        _wrap(canvas, classes, snapshot.why_no_latents)
    if snapshot.readings:
        _draw_readings(canvas, readings, snapshot.readings)
    else:
        _wrap(canvas, readings, snapshot.why_no_readings)


def facts(snapshot: LatentsSnapshot) -> list[tuple[str, str]]:
    """Return what is to be known of the step, as names and values."""
    found = [("inside", snapshot.model), ("this step", snapshot.origin)]
    if snapshot.classes:
        found.append(("sure of", f"{snapshot.sure} of {len(snapshot.classes)} groups"))
        found.append(("open", f"{snapshot.open_bits:.1f} bits"))
        found.append(("group", f"{snapshot.chosen + 1}, class {snapshot.classes[snapshot.chosen]}"))
        if snapshot.held[snapshot.chosen] >= 0:
            found.append(("held at", f"{snapshot.held[snapshot.chosen]}"))
    return found


def key_hints(snapshot: LatentsSnapshot) -> list[tuple[str, str]]:
    """Return the keys of the pane and what they do now; those of groups only where there are groups."""
    close = (label("m"), "close")
    if not snapshot.classes:
        return [close]
    hints = [("↑ ↓", "group")]
    for command in (LatentCommand.HOLD, LatentCommand.SWAP, LatentCommand.RESAMPLE, LatentCommand.COPY):
        let_go = command is LatentCommand.HOLD and snapshot.held[snapshot.chosen] >= 0
        hints.append((label(LATENT_KEYS[command][0]), "let go" if let_go else command.value))
    if snapshot.copied:
        hints.append((label(LATENT_KEYS[LatentCommand.PASTE][0]), LatentCommand.PASTE.value))
    return [*hints, close]


def probability_map(snapshot: LatentsSnapshot) -> Frame:
    """Return the probabilities as colours, uint8 (G, K, 3); small ones are spread out, half way up stands a quarter."""
    colours: Frame = COLOUR_MAP[(255 * np.sqrt(snapshot.probabilities)).round().astype(np.uint8)]
    return colours


def likely_rows(snapshot: LatentsSnapshot) -> tuple[BarRow, ...]:
    """Return the likeliest classes of the chosen group with their probabilities, and its own class in any case."""
    own, probabilities = snapshot.classes[snapshot.chosen], snapshot.probabilities[snapshot.chosen]
    order = np.argsort(-probabilities, kind="stable")[:MOST_CLASSES].tolist()
    shown = order if own in order else [own, *order[:-1]]
    return tuple(
        BarRow(f"class {k}", (Bar(float(probabilities[k]), theme.MODEL if k == own else QUIET),), 0.0, 1.0)
        for k in shown
    )


def reading_texts(reading: Reading) -> tuple[str, str, str, str]:
    """Return the true value, what is read of both states, and the share of the variance that the probe explains."""
    known = "" if math.isnan(reading.explained) else f"{max(0.0, reading.explained):.0%}"
    return _number(reading.truth), _number(reading.seen), _number(reading.imagined), known


def is_known(reading: Reading) -> bool:
    """Return whether what is read of a variable is more than a guess, and there is anything to be read."""
    absent = reading.truth is not None and math.isnan(reading.truth)
    return reading.explained >= KNOWN and not absent


def _number(value: float | None) -> str:
    return "–" if value is None or math.isnan(value) else number_text(value)


def _places(body: pygame.Rect, snapshot: LatentsSnapshot) -> tuple[pygame.Rect, pygame.Rect, pygame.Rect]:
    """Return the places of all classes, of those of the chosen group, and of what is read."""
    groups, classes = snapshot.probabilities.shape
    wide = body.width >= SIDE_BY_SIDE
    beside = CHOSEN if wide else NARROW_CHOSEN
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


def _draw_readings(canvas: Canvas, area: pygame.Rect, readings: tuple[Reading, ...]) -> None:
    """Draw what is read in a table, in as many columns as there is room for."""
    rows = max(1, area.height // LINE - 1)
    columns = max(1, min(-(-len(readings) // rows), (area.width + BETWEEN) // (TABLE + BETWEEN)))
    width = (area.width + BETWEEN) // columns - BETWEEN
    fits = len(readings) <= rows * columns
    shown = readings if fits else readings[: rows * columns - 1]
    for column in range(columns):
        place = pygame.Rect(area.left + column * (width + BETWEEN), area.top, min(width, WIDEST_TABLE), area.height)
        _draw_table(canvas, place, shown[column * rows : (column + 1) * rows])
    if not fits:
        text = f"and {len(readings) - len(shown)} more"
        canvas.write(text, (place.left, area.top + LINE * rows), size=SMALL, colour=QUIET)


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


def _pairs(
    canvas: Canvas,
    place: tuple[int, int],
    width: int,
    pairs: list[tuple[str, str]],
    bold: bool = False,
    upwards: bool = False,
) -> int:
    """Write pairs side by side in as many lines as they need, or, unless `upwards`, in one; return the lines.

    Args:
        place: the top left corner, or, `upwards`, the bottom left one.
    """
    lines: list[list[tuple[str, str]]] = [[]]
    x = 0
    for pair in pairs:
        wide = canvas.width(pair[0], SMALL, bold=bold) + 6 + canvas.width(pair[1], SMALL) + 16
        if x + wide > width + 16:
            lines.append([])
            x = 0
        lines[-1].append(pair)
        x += wide
    shown = lines if upwards else lines[:1]
    for i, line in enumerate(shown):
        y = place[1] + LINE * i - (LINE * len(shown) if upwards else 0)
        x = place[0]
        for first, second in line:
            first_colour, second_colour = (theme.TEXT, QUIET) if bold else (QUIET, theme.TEXT)
            right = canvas.write(first, (x, y), size=SMALL, colour=first_colour, bold=bold).right
            x = canvas.write(second, (right + 6, y), size=SMALL, colour=second_colour).right + 16
    return len(shown)


def _wrap(canvas: Canvas, area: pygame.Rect, text: str) -> None:
    for i, line in enumerate(canvas.wrap(text, area.width, SMALL)):
        canvas.write(line, (area.left, area.top + LINE * i), size=SMALL, colour=QUIET)
