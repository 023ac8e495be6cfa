"""The columns of frames side by side: which ones there are, and how one is drawn."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pygame

from worldmodels.player.session.drawing.drawing_snapshot import ToolSnapshot
from worldmodels.player.session.snapshot import AwaitedModels, ModelSnapshot, Snapshot, plain
from worldmodels.player.session.worlds.frames import Frame, Vectors, image_error, vector_error
from worldmodels.player.view import theme
from worldmodels.player.view.canvas import Canvas
from worldmodels.player.view.colour_maps import COLOUR_MAP, difference_map, heat_map
from worldmodels.player.view.layout import FramePlace
from worldmodels.player.view.panels.bars import BarRow, difference_rows, draw_bars, value_rows
from worldmodels.player.view.theme import LARGE, NORMAL, QUIET, SMALL

SHORT = {"Difference": "Diff."}
"""Short names, for little room."""
SWATCH = 18
"""The side of the square that shows the brush's colour below the frame."""
NO_REALITY = "no reality here"
"""The text in the place of a difference where the actions are not the recorded ones."""


@dataclass(frozen=True)
class Column:
    """A column is one frame, or numbers as bars, or the one above the other, with the texts around them."""

    name: str
    colour: theme.Colour
    frame: Frame | None
    total: str
    """The return or the difference of returns, if any."""
    total_name: str = "return"
    reward: str = ""
    note: str = ""
    """A text beside the name, if there is room."""
    end: str = ""
    """A text at the lower right."""
    ended: bool = False
    error: float | None = None
    """The mean difference of frames; a column with one shows the scale of differences below."""
    rows: tuple[BarRow, ...] = ()
    """The numbers."""
    wait: str = ""
    """A text in the place of a frame that is not there yet."""
    colour_in_hand: theme.Colour | None = None
    """The colour of the brush with which a person draws on it."""


def columns_of(snapshot: Snapshot) -> list[Column]:
    """Return the columns of a snapshot.

    One model has its reconstruction, if it has one, its prediction, reality and the difference; two models have reality
    in their middle.
    """
    models = snapshot.models
    if snapshot.awaited:
        return _awaited(snapshot.awaited, reality(snapshot))
    if snapshot.alone:
        return [_prediction(model, snapshot) for model in models]
    if len(models) == 2:
        left, right = (_prediction(model, snapshot) for model in models)
        return [left, _difference(models[0], snapshot), reality(snapshot), _difference(models[1], snapshot), right]
    (model,) = models
    columns = [_prediction(model, snapshot), reality(snapshot), _difference(model, snapshot)]
    if model.reconstruction is not None or model.reconstructed_vectors:
        columns.insert(0, _reconstruction(model, snapshot))
    return columns


def reality(snapshot: Snapshot) -> Column:
    """Return the column of the real world."""
    real, over, recorded = snapshot.real, snapshot.clock == "episode over", snapshot.recorded
    left = recorded is not None and recorded.left
    return Column(
        "Real",
        theme.REAL,
        real.frame,
        plain(real.episode_return, 1),
        reward="" if left else theme.signed(real.reward, 2),
        note="recorded" if recorded else "",
        colour_in_hand=_in_hand(snapshot.drawing),
        end="episode over" if over else "left here" if left else "",
        ended=over,
        rows=real_rows(snapshot),
    )


def _in_hand(drawing: ToolSnapshot | None) -> theme.Colour | None:
    """Return the colour of the drawing tool, if a person draws; a grey one in three equal channels."""
    if drawing is None:
        return None
    red, green, blue = drawing.colour if len(drawing.colour) == 3 else drawing.colour * 3
    return red, green, blue


def count_columns(models: int, reconstructs: bool, alone: bool = False) -> int:
    """Return the number of columns of a session with so many models, one or two; `reconstructs` as in `ModelSpec`."""
    return models if alone else 5 if models == 2 else 3 + reconstructs


def draw_column(canvas: Canvas, place: FramePlace, column: Column) -> None:
    """Draw a column: its title, its frame or numbers, the numbers below a frame, and a caption."""
    if column.frame is None:
        whole = place.frame.union(place.numbers)
        show_numbers(canvas, column.rows, whole, column.ended)
        canvas.write(column.wait, whole.center, size=SMALL, colour=QUIET, anchor="center", room=whole.width - 16)
    else:
        show_frame(canvas, column.frame, place.frame, column.ended)
        if place.numbers.height > 12:
            draw_bars(canvas, place.numbers.inflate(0, -6), column.rows)
    _draw_title(canvas, place.title, column)
    if column.error is None:
        _draw_caption(canvas, place.caption, column)
    else:
        _draw_scale(canvas, place.caption, column.error)


def show_numbers(canvas: Canvas, rows: tuple[BarRow, ...], place: pygame.Rect, ended: bool = False) -> None:
    """Draw numbers as bars in the place of a frame."""
    canvas.card(place)
    draw_bars(canvas, place.inflate(-20, -16), rows)
    colour, width = _border(ended)
    canvas.border(colour, place, width)


def show_frame(canvas: Canvas, frame: Frame, place: pygame.Rect, ended: bool = False) -> None:
    """Draw a frame as large as it fits, with a border that stands out if its world has ended."""
    canvas.frame(in_colour(frame), place, *_border(ended))


def _border(ended: bool) -> tuple[theme.Colour, int]:
    return (theme.ALERT, 3) if ended else (theme.LINE, 1)


def in_colour(frame: Frame) -> Frame:
    """Return a grey frame, (H, W, 1), with three equal channels."""
    return np.repeat(frame, 3, -1) if frame.shape[-1] == 1 else frame


def real_rows(snapshot: Snapshot) -> tuple[BarRow, ...]:
    """Return the real numbers, unless the world's own picture stands in their place."""
    real = snapshot.real
    drawn = real.frame is not None and (not snapshot.models or snapshot.models[0].frame is None)
    return () if drawn or not real.vectors else value_rows(snapshot.ranges, [(real.vectors, theme.REAL)])


def _awaited(awaited: AwaitedModels, real: Column) -> list[Column]:
    """Return reality between the places of the models that are loaded, in the order of `columns_of`."""
    models = [Column(name, theme.MODEL, None, "", wait=awaited.status) for name in awaited.names]
    difference = Column("Difference", theme.DIFFERENCE, None, "")
    if len(models) == 2:
        return [models[0], difference, real, difference, models[1]]
    seen = [Column("Seen", theme.RECONSTRUCTION, None, "")] if awaited.reconstructs else []
    return [*seen, *models, real, difference]


def _prediction(model: ModelSnapshot, snapshot: Snapshot) -> Column:
    frame = model.frame
    if frame is not None and model.uncertainty is not None:
        frame = heat_map(in_colour(frame), model.uncertainty)
    return Column(
        model.name,
        theme.MODEL,
        frame,
        # Alone, it is a sum of expected rewards, to which a rare one adds a little at every step.
        f"≈ {plain(model.episode_return, 1)}" if snapshot.alone else plain(model.episode_return, 1),
        total_name="imagined return" if snapshot.alone else "return",
        reward=theme.signed(model.reward, 2),
        note=f"{snapshot.since_put_back} steps alone",
        end="model: ended" if model.ended else f"goes on: {model.continuation:.0%}",
        ended=model.ended,
        rows=_rows_beside_real(model.vectors, theme.MODEL, snapshot, model.spreads),
    )


def _reconstruction(model: ModelSnapshot, snapshot: Snapshot) -> Column:
    """Return the column of a reconstruction, with the same error below it as below the prediction.

    A model cannot predict anything that it does not even reconstruct.
    """
    seen, real, numbers = model.reconstruction, snapshot.real, model.reconstructed_vectors
    end = ""
    if seen is not None and real.frame is not None:
        end = f"mean error {image_error(seen, real.frame):.1f}"
    elif numbers:
        end = f"mean error {vector_error(numbers, real.vectors, snapshot.ranges):.0%}"
    rows = _rows_beside_real(numbers, theme.RECONSTRUCTION, snapshot)
    return Column("Seen", theme.RECONSTRUCTION, seen, "", note="by the model now", end=end, rows=rows)


def _difference(model: ModelSnapshot, snapshot: Snapshot) -> Column:
    real, recorded = snapshot.real, snapshot.recorded
    if recorded and recorded.left:
        return Column("Difference", theme.DIFFERENCE, None, "", wait=NO_REALITY)
    total = theme.signed(model.episode_return - real.episode_return, 1)
    rows = difference_rows(snapshot.ranges, model.vectors, real.vectors)
    if model.frame is None or real.frame is None:
        end = f"mean error {model.error:.0%}"
        return Column("Difference", theme.DIFFERENCE, None, total, end=end, rows=rows)
    error, picture = image_error(model.frame, real.frame), difference_map(model.frame, real.frame)
    return Column("Difference", theme.DIFFERENCE, picture, total, error=error, rows=rows)


def _rows_beside_real(
    vectors: Vectors, colour: theme.Colour, snapshot: Snapshot, spreads: Vectors | None = None
) -> tuple[BarRow, ...]:
    """Return a model's numbers below the real ones, or only the model's without a real world."""
    real = [] if snapshot.alone else [(snapshot.real.vectors, theme.REAL)]
    return value_rows(snapshot.ranges, [*real, (vectors, colour)], spreads)


def _draw_title(canvas: Canvas, place: pygame.Rect, column: Column) -> None:
    """Draw the name and, as far as there is room, the return, its name and a note."""
    y = place.centery - 1
    canvas.fill(column.colour, pygame.Rect(place.left, y - 8, 4, 16))
    end = place.right
    names = (column.name, SHORT.get(column.name, column.name))
    if column.total:
        room = place.width - 19 - min(canvas.width(name, bold=True) for name in names)
        sizes = (LARGE, NORMAL, SMALL)
        size = next((size for size in sizes if canvas.width(column.total, size, bold=True) <= room), SMALL)
        total = canvas.write(column.total, (end, y - 1), size=size, bold=True, colour=column.colour, anchor="midright")
        end = total.left - 7
    room = end - place.left - 12
    text = names[canvas.width(column.name, bold=True) > room]
    name = canvas.write(text, (place.left + 12, y), bold=True, anchor="midleft", room=room)
    width = canvas.width(column.total_name, SMALL)
    if column.total and end - width > name.right + 10:
        end = canvas.write(column.total_name, (end, y), size=SMALL, colour=QUIET, anchor="midright").left
    room = end - name.right - 18
    if canvas.width(column.note, SMALL) <= room:
        canvas.write(column.note, (name.right + 10, y), size=SMALL, colour=QUIET, anchor="midleft")


def _draw_caption(canvas: Canvas, place: pygame.Rect, column: Column) -> None:
    """Draw the reward and the text at the end, in one line, or in two if the line is too narrow."""
    wide = canvas.inline_width("reward", column.reward) + canvas.width(column.end, SMALL) + 12 <= place.width
    first, second = (place.centery, place.centery) if wide else (place.top + 9, place.top + 25)
    if column.reward:
        canvas.inline("reward", column.reward, (place.left, first))
    colour = theme.ALERT if column.ended else QUIET
    if column.colour_in_hand:
        swatch = pygame.Rect(place.right - SWATCH, place.top + 4, SWATCH, SWATCH)
        canvas.fill(column.colour_in_hand, swatch)
        canvas.border(theme.TEXT, swatch)
        return
    at, anchor = ((place.right, second), "midright") if wide else ((place.left, second), "midleft")
    canvas.write(column.end, at, size=SMALL, colour=colour, anchor=anchor, room=place.width)


def _draw_scale(canvas: Canvas, place: pygame.Rect, error: float) -> None:
    """Draw the scale of the difference map, and the mean error."""
    y = place.centery
    right = canvas.inline("mean", f"{error:.1f}", (place.left, y))
    low, high = (canvas.width(text, SMALL) for text in ("0", "255"))
    width = min(128, place.right - right - low - high - 24)
    if width < 24:
        return
    end = canvas.write("255", (place.right, y), size=SMALL, colour=QUIET, anchor="midright")
    bar = pygame.Rect(end.left - 5 - width, y - 5, width, 10)
    for x in range(width):
        level = COLOUR_MAP[255 * x // (width - 1)]
        canvas.fill((int(level[0]), int(level[1]), int(level[2])), pygame.Rect(bar.left + x, bar.top, 1, bar.height))
    canvas.border(theme.LINE, bar.inflate(2, 2))
    canvas.write("0", (bar.left - 5, y), size=SMALL, colour=QUIET, anchor="midright")
