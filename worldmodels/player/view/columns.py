"""The columns of frames side by side: which ones there are, and how one is drawn."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pygame

from worldmodels.player.session.frames import Frame, Vectors, image_error
from worldmodels.player.session.snapshot import ModelSnapshot, Snapshot
from worldmodels.player.session.vector_ranges import vector_error
from worldmodels.player.view import theme
from worldmodels.player.view.bars import BarRow, difference_rows, draw_bars, value_rows
from worldmodels.player.view.colour_maps import COLOUR_MAP, difference_map, heat_map
from worldmodels.player.view.theme import LARGE, QUIET, SMALL, write

TITLE_ROW, CAPTION = 30, 34
"""Pixels above and below a frame."""


@dataclass(frozen=True)
class Column:
    """A column is one frame, or numbers as bars, or the one above the other, with the texts around them."""

    name: str
    colour: theme.Colour
    frame: Frame | None
    total: str
    """The return or the difference of returns, if any."""
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


def columns_of(snapshot: Snapshot) -> list[Column]:
    """Return the columns of a snapshot.

    One model has its reconstruction, if it has one, its prediction, reality and the difference; two models have reality
    in their middle.
    """
    models = snapshot.models
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
    real, over = snapshot.real, snapshot.clock == "episode over"
    return Column(
        "Real",
        theme.REAL,
        real.frame,
        f"{real.episode_return:.1f}",
        theme.signed(real.reward, ".2f"),
        end="episode over" if over else "",
        ended=over,
        rows=real_rows(snapshot),
    )


def count_columns(models: int, reconstructs: bool, alone: bool = False) -> int:
    """Return the number of columns of a session with so many models, one or two; `reconstructs` as in `ModelSpec`."""
    return models if alone else 5 if models == 2 else 3 + reconstructs


def draw_column(surface: pygame.Surface, place: pygame.Rect, column: Column, scale: int, below: int = 0) -> None:
    """Draw a column whose frame itself has the rectangle `place`, and whose bars, if there is a frame, `below` more."""
    if column.frame is None:
        show_numbers(surface, column.rows, place, column.ended)
    else:
        show_picture(surface, column.frame, place, scale, column.ended)
        draw_bars(surface, pygame.Rect(place.left, place.bottom + 6, place.width, below - 6), column.rows[: below // 2])
    _draw_title(surface, place, column)
    y = place.bottom + below + CAPTION // 2 - 1
    if column.error is not None:
        _draw_scale(surface, place, column.error, y)
        return
    right = theme.inline(surface, "reward", column.reward, (place.left, y)) if column.reward else place.left
    if column.end and right + theme.font(SMALL).size(column.end)[0] < place.right:
        colour = theme.ALERT if column.ended else QUIET
        write(surface, column.end, (place.right, y), size=SMALL, colour=colour, anchor="midright")


def show_picture(
    surface: pygame.Surface, frame: Frame, place: pygame.Rect, scale: int, ended: bool = False
) -> pygame.Rect:
    """Draw a frame with pixels `scale` times as large, or, if that does not fill the place, as large as it fits."""
    if frame.shape[:2] == (place.height // scale, place.width // scale):
        return show_frame(surface, frame, place.topleft, scale, ended)
    picture = pygame.surfarray.make_surface(in_colour(frame).swapaxes(0, 1))
    theme.card(surface, place)
    inside = picture.get_rect().fit(place)
    surface.blit(pygame.transform.smoothscale(picture, inside.size), inside)
    _draw_border(surface, place, ended)
    return place


def show_numbers(surface: pygame.Surface, rows: tuple[BarRow, ...], place: pygame.Rect, ended: bool = False) -> None:
    """Draw numbers as bars where others have a frame."""
    theme.card(surface, place)
    draw_bars(surface, place.inflate(-20, -16), rows)
    _draw_border(surface, place, ended)


def show_frame(
    surface: pygame.Surface, frame: Frame, place: tuple[int, int], scale: int, ended: bool = False
) -> pygame.Rect:
    """Draw a frame with pixels `scale` times as large, and a border that stands out if its world has ended."""
    image = pygame.transform.scale_by(pygame.surfarray.make_surface(in_colour(frame).swapaxes(0, 1)), scale)
    rectangle = surface.blit(image, place)
    _draw_border(surface, rectangle, ended)
    return rectangle


def _draw_border(surface: pygame.Surface, rectangle: pygame.Rect, ended: bool) -> None:
    border = 3 if ended else 1
    colour = theme.ALERT if ended else theme.LINE
    pygame.draw.rect(surface, colour, rectangle.inflate(2 * border, 2 * border), width=border)


def in_colour(frame: Frame) -> Frame:
    """Return a grey frame, (H, W, 1), with three equal channels."""
    return np.repeat(frame, 3, -1) if frame.shape[-1] == 1 else frame


def real_rows(snapshot: Snapshot) -> tuple[BarRow, ...]:
    """Return the real numbers, unless the world's own picture stands in their place."""
    real = snapshot.real
    drawn = real.frame is not None and (not snapshot.models or snapshot.models[0].frame is None)
    return () if drawn or not real.vectors else value_rows(snapshot.ranges, [(real.vectors, theme.REAL)])


def _prediction(model: ModelSnapshot, snapshot: Snapshot) -> Column:
    frame = model.frame
    if frame is not None and model.uncertainty is not None:
        frame = heat_map(in_colour(frame), model.uncertainty)
    return Column(
        model.name,
        theme.MODEL,
        frame,
        f"{model.episode_return:.1f}",
        theme.signed(model.reward, ".2f"),
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
        end = f"mean error {vector_error(numbers, real.vectors, snapshot.ranges):.0%} of the range"
    rows = _rows_beside_real(numbers, theme.RECONSTRUCTION, snapshot)
    return Column("Seen", theme.RECONSTRUCTION, seen, "", note="by the model now", end=end, rows=rows)


def _difference(model: ModelSnapshot, snapshot: Snapshot) -> Column:
    real = snapshot.real
    total = theme.signed(model.episode_return - real.episode_return, ".1f")
    rows = difference_rows(snapshot.ranges, model.vectors, real.vectors)
    if model.frame is None or real.frame is None:
        end = f"mean {model.error:.0%} of the range"
        return Column("Difference", theme.DIFFERENCE, None, total, end=end, rows=rows)
    error, picture = image_error(model.frame, real.frame), difference_map(model.frame, real.frame)
    return Column("Difference", theme.DIFFERENCE, picture, total, error=error, rows=rows)


def _rows_beside_real(
    vectors: Vectors, colour: theme.Colour, snapshot: Snapshot, spreads: Vectors | None = None
) -> tuple[BarRow, ...]:
    """Return a model's numbers below the real ones; alone where there is no reality."""
    real = [] if snapshot.alone else [(snapshot.real.vectors, theme.REAL)]
    return value_rows(snapshot.ranges, [*real, (vectors, colour)], spreads)


def _draw_title(surface: pygame.Surface, place: pygame.Rect, column: Column) -> None:
    y = place.top - TITLE_ROW // 2 - 1
    pygame.draw.rect(surface, column.colour, (place.left, y - 8, 4, 16), border_radius=2)
    text = write(surface, column.name, (place.left + 12, y), bold=True, anchor="midleft")
    end = place.right
    if column.total:
        number = write(
            surface, column.total, (end, y - 1), size=LARGE, bold=True, colour=column.colour, anchor="midright"
        )
        end = number.left - 7
        if place.width >= 240:
            end = write(surface, "return", (end, y), size=SMALL, colour=QUIET, anchor="midright").left
    theme.write_if_fits(surface, column.note, (text.right + 10, y), end)


def _draw_scale(surface: pygame.Surface, place: pygame.Rect, error: float, y: int) -> None:
    """Draw the scale of the difference map, and the mean error."""
    right = theme.inline(surface, "mean", f"{error:.1f}", (place.left, y))
    low, high = (theme.font(SMALL).size(text)[0] for text in ("0", "255"))
    width = min(128, place.right - right - low - high - 24)
    if width < 24:
        return
    bar = pygame.surfarray.make_surface(COLOUR_MAP[np.linspace(0, 255, width).astype(int), None].repeat(10, axis=1))
    end = write(surface, "255", (place.right, y), size=SMALL, colour=QUIET, anchor="midright")
    rectangle = surface.blit(bar, bar.get_rect(midright=(end.left - 5, y)))
    pygame.draw.rect(surface, theme.LINE, rectangle.inflate(2, 2), width=1)
    write(surface, "0", (rectangle.left - 5, y), size=SMALL, colour=QUIET, anchor="midright")
