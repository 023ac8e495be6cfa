"""The time line: what the model got right and wrong over the last few hundred steps. Now is at the right."""

from __future__ import annotations

from collections.abc import Sequence

import pygame

from worldmodels.player import theme
from worldmodels.player.snapshot import TimelineEntry
from worldmodels.player.theme import QUIET, SMALL, write

LABELS = 92
"""Pixels for the names of the rows."""
FULL_ERROR = 48.0
"""Mean absolute difference, of 255, that fills the row."""


def draw_timeline(surface: pygame.Surface, area: pygame.Rect, history: Sequence[TimelineEntry]) -> None:
    """Rows for the image error, both rewards and the continuation; vertical lines where the model met reality."""
    theme.card(surface, area)
    plot = pygame.Rect(area.left + LABELS, area.top + 8, area.width - LABELS - 10, area.height - 16)
    step = 3 if plot.width >= 720 else 2
    shown = history[-(plot.width // step) :]
    columns = [(plot.right - step * (len(shown) - i), moment) for i, moment in enumerate(shown)]
    error = pygame.Rect(plot.left, plot.top, plot.width, 42)
    reward = pygame.Rect(plot.left, error.bottom + 8, plot.width, 22)
    continues = pygame.Rect(plot.left, reward.bottom + 8, plot.width, plot.bottom - reward.bottom - 8)
    rows = (("image error", error), ("rewards", reward), ("goes on", continues))
    for name, row in rows:
        write(surface, name, (area.left + 12, row.centery), size=SMALL, colour=QUIET, anchor="midleft")
    models = len(history[-1].models) if history else 0
    errors, continuations = _shares(error, models), _shares(continues, models)
    for x, moment in columns:
        if moment.mark:
            colour = theme.TEXT if moment.mark == "put back" else theme.REAL
            pygame.draw.line(surface, colour, (x, plot.top), (x, plot.bottom))
            continue
        for i, told in enumerate(moment.models):
            _bar(surface, errors[i], x, step, told.image_error / FULL_ERROR, theme.DIFFERENCE)
            colour = theme.ALERT if told.continuation < 0.5 else theme.GOOD
            _bar(surface, continuations[i], x, step, told.continuation, colour)
            if told.seeing_error is not None:
                height = round(error.height * min(1.0, told.seeing_error / FULL_ERROR))
                surface.fill(theme.SEEN, (x, error.bottom - height - 1, step, 2))
        if moment.left:
            pygame.draw.rect(surface, theme.ALERT, (x, plot.top, 2, error.height))
    for x, moment in columns:
        if not moment.mark:
            _rewards(surface, reward, x, step, moment)
    for _, row in rows:
        pygame.draw.line(surface, theme.LINE, row.bottomleft, row.bottomright)


def _bar(surface: pygame.Surface, row: pygame.Rect, x: int, width: int, share: float, colour: theme.Colour) -> None:
    height = round(row.height * min(1.0, max(0.0, share)))
    surface.fill(colour, (x, row.bottom - height, width, height))


def _shares(row: pygame.Rect, models: int) -> list[pygame.Rect]:
    """Of two models, the first has the upper half of a row."""
    height = row.height // max(1, models)
    return [pygame.Rect(row.left, row.top + i * height, row.width, height - (models > 1)) for i in range(models)]


def _rewards(surface: pygame.Surface, row: pygame.Rect, x: int, width: int, moment: TimelineEntry) -> None:
    """Real above the middle, the model's below; only what rounds to something. A hollow tick is a loss."""
    half = row.height // 2
    for value, top, colour in (
        (moment.real_reward, row.top, theme.REAL),
        *((told.reward, row.top + half + 1, theme.MODEL) for told in moment.models[:1]),
    ):
        if abs(value) >= 0.05:
            tall = half - 2 if abs(value) >= 0.5 else half // 2
            pygame.draw.rect(surface, colour if value > 0 else theme.ALERT, (x, top + half - 2 - tall, width + 1, tall))
