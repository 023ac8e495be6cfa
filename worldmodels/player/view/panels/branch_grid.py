"""The branches as small frames in a grid, each with its label and its return."""

from __future__ import annotations

import math
from collections.abc import Mapping

import pygame

from worldmodels.player.session.snapshot import Branch, BranchesSnapshot
from worldmodels.player.session.worlds.frames import Ranges
from worldmodels.player.view import theme
from worldmodels.player.view.canvas import Canvas, drawn_zoom
from worldmodels.player.view.panels.bars import draw_small_bars, value_rows
from worldmodels.player.view.panels.columns import show_frame
from worldmodels.player.view.theme import QUIET, SMALL

LABEL, GAP = 20, 12
"""Units below each frame, and between frames."""
NUMBERS = (4, 8)
"""Height and width in proportion of a branch without a frame."""


def draw_branches(
    canvas: Canvas, area: pygame.Rect, snapshot: BranchesSnapshot, ranges: Ranges, short: Mapping[str, str]
) -> None:
    """Draw all branches, as large as they fit; those without frames as bars in the ranges of numbers.

    Args:
        short: a character or two for each label, if labels have no room.
    """
    first = snapshot.branches[0].frame
    shape = NUMBERS if first is None else first.shape[:2]
    columns, (width, height) = _best_grid(area, len(snapshot.branches), shape, canvas.scale, first is not None)
    rows = math.ceil(len(snapshot.branches) / columns)
    wide, high = width + GAP, height + LABEL
    left = area.centerx - (columns * wide - GAP) // 2
    top = area.top + max(0, (area.height - rows * high) // 2)
    for i, branch in enumerate(snapshot.branches):
        place = pygame.Rect(left + i % columns * wide, top + i // columns * high, width, height)
        _draw_branch(canvas, place, branch, ranges, short)


def _best_grid(
    area: pygame.Rect, count: int, shape: tuple[int, ...], scale: float, whole: bool
) -> tuple[int, tuple[int, int]]:
    """Return the number of columns, and width and height of a cell: the largest zoom, with the fewest columns.

    Args:
        shape: height and width of a frame.
        whole: large frames are enlarged by whole numbers.
    """

    def zoom(columns: int) -> float:
        across = (area.width + GAP) // columns - GAP - 1
        down = area.height // math.ceil(count / columns) - LABEL - 1
        fits = min(across * scale / shape[1], down * scale / shape[0])
        return drawn_zoom(fits) if whole else fits

    columns = max(range(1, count + 1), key=lambda n: (zoom(n), -n))
    best = max(zoom(columns), 0.01)
    return columns, (max(1, math.ceil(shape[1] * best / scale)), max(1, math.ceil(shape[0] * best / scale)))


def _draw_branch(canvas: Canvas, place: pygame.Rect, branch: Branch, ranges: Ranges, short: Mapping[str, str]) -> None:
    ended = branch.survival < 0.5
    if branch.frame is None:
        canvas.card(place)
        draw_small_bars(canvas, place.inflate(-12, -8), value_rows(ranges, [(branch.vectors, theme.MODEL)]))
    else:
        show_frame(canvas, branch.frame, place, ended)
    y = place.bottom + LABEL // 2
    total, colour = theme.signed(branch.branch_return, 1), theme.ALERT if ended else theme.MODEL
    midright = (place.right, y)
    end = canvas.write(total, midright, size=SMALL, bold=True, colour=colour, anchor="midright", room=place.width).left
    room = end - place.left - 4
    label = short.get(branch.label, branch.label) if canvas.width(branch.label, SMALL) > room else branch.label
    canvas.write(label, (place.left, y), size=SMALL, colour=QUIET, anchor="midleft", room=room)
