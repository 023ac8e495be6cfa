"""The columns of frames side by side: which ones there are, and how one is drawn."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pygame

from worldmodels.player.session.frames import Frame, image_error
from worldmodels.player.session.snapshot import ModelSnapshot, Snapshot
from worldmodels.player.view import theme
from worldmodels.player.view.colour_maps import COLOUR_MAP, difference_map, heat_map
from worldmodels.player.view.theme import LARGE, QUIET, SMALL, write

TITLE_ROW, CAPTION = 30, 34
"""Pixels above and below a frame."""


@dataclass(frozen=True)
class Column:
    """A column is one frame with the texts around it."""

    name: str
    colour: theme.Colour
    frame: Frame
    total: str
    """The return or the difference of returns, if any."""
    reward: str = ""
    note: str = ""
    """A text beside the name, if there is room."""
    end: str = ""
    """A text at the lower right."""
    ended: bool = False
    error: float | None = None
    """The mean difference; a column with one shows the scale of differences below."""


def columns_of(snapshot: Snapshot) -> list[Column]:
    """Return the columns of a snapshot.

    One model has its reconstruction, if it has one, its prediction, reality and the difference; two models have reality
    in their middle.
    """
    real, models = snapshot.real, snapshot.models
    if snapshot.alone:
        return [_prediction(model, snapshot) for model in models]
    over = snapshot.clock == "episode over"
    reality = Column(
        "Real",
        theme.REAL,
        real.frame,
        f"{real.episode_return:.1f}",
        theme.signed(real.reward, ".2f"),
        end="episode over" if over else "",
        ended=over,
    )
    if len(models) == 2:
        left, right = (_prediction(model, snapshot) for model in models)
        return [left, _difference(models[0], snapshot), reality, _difference(models[1], snapshot), right]
    (model,) = models
    columns = [_prediction(model, snapshot), reality, _difference(model, snapshot)]
    if model.reconstruction is not None:
        columns.insert(0, _reconstruction(model.reconstruction, real.frame))
    return columns


def count_columns(models: int, reconstructs: bool, alone: bool = False) -> int:
    """Return the number of columns of a session with so many models, one or two; `reconstructs` as in `ModelSpec`."""
    return models if alone else 5 if models == 2 else 3 + reconstructs


def draw_column(surface: pygame.Surface, place: pygame.Rect, column: Column, scale: int) -> None:
    """Draw a column whose frame itself has the rectangle `place`."""
    show_frame(surface, column.frame, place.topleft, scale, column.ended)
    _draw_title(surface, place, column)
    y = place.bottom + CAPTION // 2 - 1
    if column.error is not None:
        _draw_scale(surface, place, column.error, y)
        return
    right = theme.inline(surface, "reward", column.reward, (place.left, y)) if column.reward else place.left
    if column.end and right + theme.font(SMALL).size(column.end)[0] < place.right:
        colour = theme.ALERT if column.ended else QUIET
        write(surface, column.end, (place.right, y), size=SMALL, colour=colour, anchor="midright")


def show_frame(
    surface: pygame.Surface, frame: Frame, place: tuple[int, int], scale: int, ended: bool = False
) -> pygame.Rect:
    """Draw a frame with pixels `scale` times as large, and a border that stands out if its world has ended."""
    image = pygame.transform.scale_by(pygame.surfarray.make_surface(frame.swapaxes(0, 1)), scale)
    rectangle = surface.blit(image, place)
    border = 3 if ended else 1
    colour = theme.ALERT if ended else theme.LINE
    pygame.draw.rect(surface, colour, rectangle.inflate(2 * border, 2 * border), width=border)
    return rectangle


def _prediction(model: ModelSnapshot, snapshot: Snapshot) -> Column:
    return Column(
        model.name,
        theme.MODEL,
        model.frame if model.uncertainty is None else heat_map(model.frame, model.uncertainty),
        f"{model.episode_return:.1f}",
        theme.signed(model.reward, ".2f"),
        note=f"{snapshot.since_put_back} steps alone",
        end="model: ended" if model.ended else f"goes on: {model.continuation:.0%}",
        ended=model.ended,
    )


def _reconstruction(reconstruction: Frame, real: Frame) -> Column:
    """Return the column of a reconstruction, with the same error below it as below the prediction.

    A model cannot predict anything that it does not even reconstruct.
    """
    end = f"mean error {image_error(reconstruction, real):.1f}"
    return Column("Seen", theme.RECONSTRUCTION, reconstruction, "", note="by the model now", end=end)


def _difference(model: ModelSnapshot, snapshot: Snapshot) -> Column:
    real = snapshot.real.frame
    total = theme.signed(model.episode_return - snapshot.real.episode_return, ".1f")
    picture = difference_map(model.frame, real)
    return Column("Difference", theme.DIFFERENCE, picture, total, error=image_error(model.frame, real))


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
