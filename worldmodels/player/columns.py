"""The frames side by side: which ones there are at a moment, and how one is drawn."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pygame

from worldmodels.player import theme
from worldmodels.player.panes import COLOUR_MAP, difference_map, heat, image_error
from worldmodels.player.snapshot import ModelSide, Snapshot
from worldmodels.player.theme import LARGE, QUIET, SMALL, write
from worldmodels.player.worlds import Frame

TITLE_ROW, CAPTION = 30, 34
"""Pixels above and below a frame."""


@dataclass(frozen=True)
class Column:
    """One frame with what is written around it."""

    name: str
    colour: theme.Colour
    frame: Frame
    total: str
    """The return, or what stands for it."""
    reward: str = ""
    note: str = ""
    """Beside the name, if there is room."""
    end: str = ""
    """At the lower right."""
    ended: bool = False
    error: float | None = None
    """A column with an error shows the scale of differences below."""


def columns_of(snapshot: Snapshot) -> list[Column]:
    """One model: what it sees (if it paints that), what it predicts, reality, the difference. Two: one on each side."""
    real, sides = snapshot.real, snapshot.models
    if snapshot.alone:
        return [_model(side, snapshot) for side in sides]
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
    if len(sides) == 2:
        left, right = (_model(side, snapshot) for side in sides)
        return [left, _difference(sides[0], snapshot), reality, _difference(sides[1], snapshot), right]
    side = sides[0]
    seen = [_seen(side, snapshot)] if side.seen is not None else []
    return [*seen, _model(side, snapshot), reality, _difference(side, snapshot)]


def count_columns(models: int, paints: bool, alone: bool = False) -> int:
    """Of a session with so many models; `paints`: the only one has a picture of its own of what it sees."""
    return models if alone else 5 if models == 2 else 3 + paints


def draw_column(surface: pygame.Surface, place: pygame.Rect, column: Column, scale: int) -> None:
    """`place` is that of the frame itself."""
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
    """A frame, its pixels `scale` times as large; with a border that stands out if its world has ended."""
    image = pygame.transform.scale_by(pygame.surfarray.make_surface(frame.swapaxes(0, 1)), scale)
    rectangle = surface.blit(image, place)
    border = 3 if ended else 1
    colour = theme.ALERT if ended else theme.LINE
    pygame.draw.rect(surface, colour, rectangle.inflate(2 * border, 2 * border), width=border)
    return rectangle


def _model(side: ModelSide, snapshot: Snapshot) -> Column:
    return Column(
        side.name,
        theme.MODEL,
        side.frame if side.doubt is None else heat(side.frame, side.doubt),
        f"{side.episode_return:.1f}",
        theme.signed(side.reward, ".2f"),
        note=f"{snapshot.since_put_back} steps alone",
        end="model: ended" if side.ended else f"goes on: {side.continuation:.0%}",
        ended=side.ended,
    )


def _seen(side: ModelSide, snapshot: Snapshot) -> Column:
    """The same difference below it as below the prediction: what it cannot see, it cannot foresee either."""
    seen = snapshot.real.frame if side.seen is None else side.seen
    error = image_error(seen, snapshot.real.frame)
    return Column("Seen", theme.SEEN, seen, "", note="by the model now", end=f"mean error {error:.1f}")


def _difference(side: ModelSide, snapshot: Snapshot) -> Column:
    truth = snapshot.real.frame
    total = theme.signed(side.episode_return - snapshot.real.episode_return, ".1f")
    picture = difference_map(side.frame, truth)
    return Column("Difference", theme.DIFFERENCE, picture, total, error=image_error(side.frame, truth))


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
    """What the colours of the difference map mean, and the mean error."""
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
