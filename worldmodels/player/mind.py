"""What the policy makes of the real frame: a bar for each action, and the return that it expects."""

from __future__ import annotations

import pygame

from worldmodels.player import theme
from worldmodels.player.snapshot import Mind
from worldmodels.player.theme import QUIET, SMALL, write

SIGNS = 18
"""Pixels for what an action is called."""


def draw_mind(surface: pygame.Surface, area: pygame.Rect, mind: Mind | None, signs: tuple[str, ...]) -> None:
    """`signs`: a character or two for each action."""
    theme.card(surface, area)
    inner = area.inflate(-24, -16)
    write(surface, "policy", inner.topleft, size=SMALL, colour=QUIET)
    if mind is None:
        write(surface, "none here", inner.center, size=SMALL, colour=QUIET, anchor="center")
        return
    if mind.value is not None:
        place = theme.inline_width("value", f"{mind.value:.2f}")
        theme.inline(surface, "value", f"{mind.value:.2f}", (inner.right - place, inner.top + 7))
    plot = pygame.Rect(inner.left, inner.top + 18, inner.width, inner.height - 18 - SIGNS)
    step = plot.width / len(mind.probabilities)
    for i, (probability, sign) in enumerate(zip(mind.probabilities, signs, strict=True)):
        left = plot.left + round(i * step)
        height = round(plot.height * probability)
        best = probability == max(mind.probabilities)
        colour = theme.REAL if best else theme.QUIET
        pygame.draw.rect(surface, theme.LINE, (left, plot.bottom, round(step) - 2, 1))
        pygame.draw.rect(surface, colour, (left, plot.bottom - height, round(step) - 2, height))
        middle = (left + (round(step) - 2) // 2, plot.bottom + SIGNS // 2 + 1)
        write(surface, sign, middle, size=SMALL, colour=theme.TEXT if best else QUIET, anchor="center")
