"""The branches as small frames in a grid, each with its label and its return."""

from __future__ import annotations

import math

import pygame

from worldmodels.player.session.snapshot import Branch, BranchesSnapshot
from worldmodels.player.session.vector_ranges import Ranges
from worldmodels.player.view import theme
from worldmodels.player.view.bars import draw_small_bars, value_rows
from worldmodels.player.view.columns import show_frame
from worldmodels.player.view.theme import GAP, QUIET, SMALL, write

LABEL = 20
"""Pixels below each frame."""
NUMBERS = (4, 8)
"""Height and width in proportion of a branch without a frame."""


def draw_branches(surface: pygame.Surface, area: pygame.Rect, snapshot: BranchesSnapshot, ranges: Ranges) -> None:
    """Draw all branches, as large as a whole zoom allows; those without frames as bars in the ranges of numbers."""
    first = snapshot.branches[0].frame
    height, width = NUMBERS if first is None else first.shape[:2]
    columns, scale = _best_grid(area, len(snapshot.branches), width, height)
    rows = math.ceil(len(snapshot.branches) / columns)
    wide, high = width * scale + GAP, height * scale + LABEL
    left = area.centerx - (columns * wide - GAP) // 2
    top = area.top + max(0, (area.height - rows * high) // 2)
    for i, branch in enumerate(snapshot.branches):
        place = pygame.Rect(left + i % columns * wide, top + i // columns * high, width * scale, height * scale)
        _draw_branch(surface, place, branch, scale, ranges)


def _best_grid(area: pygame.Rect, count: int, width: int, height: int) -> tuple[int, int]:
    """Return the number of columns and the zoom: the largest zoom, with the fewest columns."""

    def zoom(columns: int) -> int:
        rows = math.ceil(count / columns)
        across = (area.width + GAP) // columns - GAP
        down = area.height // rows - LABEL
        return min(across // width, down // height)

    columns = max(range(1, count + 1), key=lambda n: (zoom(n), -n))
    return columns, max(1, zoom(columns))


def _draw_branch(surface: pygame.Surface, place: pygame.Rect, branch: Branch, scale: int, ranges: Ranges) -> None:
    ended = branch.survival < 0.5
    if branch.frame is None:
        theme.card(surface, place)
        draw_small_bars(surface, place.inflate(-12, -8), value_rows(ranges, [(branch.vectors, theme.MODEL)]))
    else:
        show_frame(surface, branch.frame, place.topleft, scale, ended)
    y = place.bottom + LABEL // 2
    total = theme.signed(branch.branch_return, ".1f")
    colour = theme.ALERT if ended else theme.MODEL
    end = write(surface, total, (place.right, y), size=SMALL, bold=True, colour=colour, anchor="midright").left
    theme.write_if_fits(surface, branch.label, (place.left, y), end, colour=QUIET)
