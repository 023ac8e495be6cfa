"""A record of what is drawn: where each text and each frame lies, and what of it is cut."""

from __future__ import annotations

from contextlib import contextmanager
from itertools import combinations

import pygame

from worldmodels.player.view.canvas import Canvas
from worldmodels.player.view.theme import NORMAL

BETWEEN = 0.16
"""The share of a line's height, above and below, in which letters of two lines may meet."""


class Drawn:
    """What was drawn on one surface, in pixels."""

    def __init__(self):
        self.texts: list[tuple[str, pygame.Rect]] = []
        self.frames: list[tuple[str, pygame.Rect]] = []
        self.cut: list[tuple[str, pygame.Rect]] = []
        self.covered: list[str] = []
        self.shortened: list[str] = []

    def overlaps(self):
        """Return the pairs of texts and frames that lie over each other."""
        return [(a, b) for (a, one), (b, two) in combinations([*self.texts, *self.frames], 2) if one.colliderect(two)]


@contextmanager
def recording(monkeypatch):
    """Record what is drawn meanwhile."""
    drawn = Drawn()
    write, picture, card = Canvas.write, Canvas.picture, Canvas.card

    def recorded_write(canvas, text, place, **how):
        shown = write(canvas, text, place, **how)
        area = canvas.pixels(shown)
        spare = round(BETWEEN * area.height)
        inner = pygame.Rect(area.left + 1, area.top + spare, max(0, area.width - 2), max(0, area.height - 2 * spare))
        if shown.width:
            drawn.texts.append((text, inner))
            if not canvas.surface.get_clip().contains(inner):
                drawn.cut.append((text, inner))
        room = how.get("room")
        if room is not None and canvas.width(text, how.get("size", NORMAL), how.get("bold", False)) > room:
            drawn.shortened.append(text)
        return shown

    def recorded_picture(canvas, frame, place):
        shown = picture(canvas, frame, place)
        drawn.frames.append(("a frame", shown.copy()))
        if not canvas.surface.get_clip().contains(shown):
            drawn.cut.append(("a frame", shown))
        return shown

    def recorded_card(canvas, area):
        place = canvas.pixels(area)
        drawn.covered += [name for name, where in (*drawn.texts, *drawn.frames) if place.colliderect(where)]
        card(canvas, area)

    with monkeypatch.context() as patch:
        patch.setattr(Canvas, "write", recorded_write)
        patch.setattr(Canvas, "picture", recorded_picture)
        patch.setattr(Canvas, "card", recorded_card)
        yield drawn
