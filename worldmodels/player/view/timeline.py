"""The time line of the last few hundred steps: errors of the model beside rewards and ends, the newest at the right."""

from __future__ import annotations

from collections.abc import Sequence

import pygame

from worldmodels.player.session.snapshot import TimelineEntry
from worldmodels.player.view import theme
from worldmodels.player.view.theme import QUIET, SMALL, write

LABELS = 92
"""Width in pixels of the names of the rows."""
FULL_ERROR = 48.0
"""The mean absolute difference, 0 to 255, that fills the row."""


def draw_timeline(
    surface: pygame.Surface, area: pygame.Rect, history: Sequence[TimelineEntry], of_images: bool = True
) -> None:
    """Draw rows for the error, both rewards and the continuation, and lines where the model was put back."""
    theme.card(surface, area)
    plot = pygame.Rect(area.left + LABELS, area.top + 8, area.width - LABELS - 10, area.height - 16)
    step = 3 if plot.width >= 720 else 2
    shown = history[-(plot.width // step) :]
    columns = [(plot.right - step * (len(shown) - i), entry) for i, entry in enumerate(shown)]
    error = pygame.Rect(plot.left, plot.top, plot.width, 42)
    reward = pygame.Rect(plot.left, error.bottom + 8, plot.width, 22)
    continues = pygame.Rect(plot.left, reward.bottom + 8, plot.width, plot.bottom - reward.bottom - 8)
    rows = (("image error" if of_images else "error", error), ("rewards", reward), ("goes on", continues))
    for name, row in rows:
        write(surface, name, (area.left + 12, row.centery), size=SMALL, colour=QUIET, anchor="midleft")
    models = len(history[-1].models) if history else 0
    errors, continuations = _shares(error, models), _shares(continues, models)
    for x, entry in columns:
        if entry.mark:
            colour = theme.TEXT if entry.mark == "put back" else theme.REAL
            pygame.draw.line(surface, colour, (x, plot.top), (x, plot.bottom))
            continue
        for i, forecast in enumerate(entry.models):
            _bar(surface, errors[i], x, step, forecast.image_error / FULL_ERROR, theme.DIFFERENCE)
            colour = theme.ALERT if forecast.continuation < 0.5 else theme.GOOD
            _bar(surface, continuations[i], x, step, forecast.continuation, colour)
            if forecast.reconstruction_error is not None:
                height = round(error.height * min(1.0, forecast.reconstruction_error / FULL_ERROR))
                surface.fill(theme.RECONSTRUCTION, (x, error.bottom - height - 1, step, 2))
        if entry.diverged:
            pygame.draw.rect(surface, theme.ALERT, (x, plot.top, 2, error.height))
    for x, entry in columns:
        if not entry.mark:
            _rewards(surface, reward, x, step, entry)
    for _, row in rows:
        pygame.draw.line(surface, theme.LINE, row.bottomleft, row.bottomright)


def _bar(surface: pygame.Surface, row: pygame.Rect, x: int, width: int, share: float, colour: theme.Colour) -> None:
    height = round(row.height * min(1.0, max(0.0, share)))
    surface.fill(colour, (x, row.bottom - height, width, height))


def _shares(row: pygame.Rect, models: int) -> list[pygame.Rect]:
    """Return each model's share of a row; of two models, the first has the upper half."""
    height = row.height // max(1, models)
    return [pygame.Rect(row.left, row.top + i * height, row.width, height - (models > 1)) for i in range(models)]


def _rewards(surface: pygame.Surface, row: pygame.Rect, x: int, width: int, entry: TimelineEntry) -> None:
    """Draw real rewards above the middle and the model's below it, unless they round to nothing."""
    half = row.height // 2
    for value, top, colour in (
        (entry.real_reward, row.top, theme.REAL),
        *((forecast.reward, row.top + half + 1, theme.MODEL) for forecast in entry.models[:1]),
    ):
        if abs(value) >= 0.05:
            tall = half - 2 if abs(value) >= 0.5 else half // 2
            pygame.draw.rect(surface, colour if value > 0 else theme.ALERT, (x, top + half - 2 - tall, width + 1, tall))
