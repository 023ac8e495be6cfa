"""Branches: many small frames in a grid, each with its label, its return and the probability that it got so far."""

from __future__ import annotations

import math

import pygame

from worldmodels.player import theme
from worldmodels.player.columns import show_frame
from worldmodels.player.snapshot import Branch, BranchView
from worldmodels.player.theme import GAP, QUIET, SMALL, write

LABEL = 20
"""Pixels below each frame."""


def draw_grid(surface: pygame.Surface, area: pygame.Rect, view: BranchView) -> None:
    """As large as whole zooms allow."""
    height, width = view.tiles[0].frame.shape[:2]
    columns, scale = _best_grid(area, len(view.tiles), width, height)
    rows = math.ceil(len(view.tiles) / columns)
    wide, high = width * scale + GAP, height * scale + LABEL
    left = area.centerx - (columns * wide - GAP) // 2
    top = area.top + max(0, (area.height - rows * high) // 2)
    for i, tile in enumerate(view.tiles):
        place = pygame.Rect(left + i % columns * wide, top + i // columns * high, width * scale, height * scale)
        _draw_tile(surface, place, tile, scale)


def _best_grid(area: pygame.Rect, count: int, width: int, height: int) -> tuple[int, int]:
    """Columns and zoom: of the largest zoom, the fewest columns."""

    def zoom(columns: int) -> int:
        rows = math.ceil(count / columns)
        across = (area.width + GAP) // columns - GAP
        down = area.height // rows - LABEL
        return min(across // width, down // height)

    columns = max(range(1, count + 1), key=lambda n: (zoom(n), -n))
    return columns, max(1, zoom(columns))


def _draw_tile(surface: pygame.Surface, place: pygame.Rect, tile: Branch, scale: int) -> None:
    ended = tile.alive < 0.5
    show_frame(surface, tile.frame, place.topleft, scale, ended)
    y = place.bottom + LABEL // 2
    total = theme.signed(tile.branch_return, ".1f")
    colour = theme.ALERT if ended else theme.MODEL
    end = write(surface, total, (place.right, y), size=SMALL, bold=True, colour=colour, anchor="midright").left
    theme.write_if_fits(surface, tile.label, (place.left, y), end, colour=QUIET)
