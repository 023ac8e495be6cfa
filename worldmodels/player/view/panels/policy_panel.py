"""The panel of the policy: the probability of each action at the real frame, and the return that it expects."""

from __future__ import annotations

import pygame

from worldmodels.player.session.snapshot import PolicyPanel
from worldmodels.player.view import theme
from worldmodels.player.view.canvas import Canvas
from worldmodels.player.view.theme import QUIET, SMALL

HEAD, SIGN = 18, 14
"""Height of the first line, and of a character of the actions' names."""
NARROWEST_SIGN = 8
"""The width of a bar below which it has no name."""


def wished_width(actions: int) -> int:
    """Return the width that the panel would like for so many actions."""
    return max(330, 24 + 20 * actions)


def draw_policy_panel(canvas: Canvas, area: pygame.Rect, panel: PolicyPanel, signs: tuple[str, ...]) -> None:
    """Draw the policy's probability of each action as a bar, and the return that it expects.

    Args:
        signs: a few characters for each action, drawn in a column if they do not fit side by side.
    """
    canvas.card(area)
    inner = area.inflate(-24, -12)
    canvas.write("policy", inner.topleft, size=SMALL, colour=QUIET)
    if panel.value is not None:
        width = canvas.inline_width("value", f"{panel.value:.2f}")
        canvas.inline("value", f"{panel.value:.2f}", (inner.right - width, inner.top + 7))
    if not panel.probabilities:
        return
    step = inner.width / len(panel.probabilities)
    in_column = any(canvas.width(sign, SMALL) > step for sign in signs)
    below = SIGN * (max(map(len, signs), default=1) if in_column else 1)
    plot = pygame.Rect(inner.left, inner.top + HEAD, inner.width, inner.height - HEAD - below)
    highest = max(panel.probabilities)
    for i, (probability, sign) in enumerate(zip(panel.probabilities, signs, strict=True)):
        left, width = plot.left + round(i * step), max(1, round(step) - 2)
        height = round(plot.height * probability)
        best = probability == highest
        canvas.across(theme.LINE, left, left + width, plot.bottom)
        if height:
            bar = pygame.Rect(left, plot.bottom - height, width, height)
            canvas.fill(theme.REAL if best else QUIET, bar)
        if step >= NARROWEST_SIGN:
            for line, text in enumerate(sign if in_column else [sign]):
                middle = (left + width // 2, plot.bottom + SIGN * line + SIGN // 2 + 1)
                canvas.write(text, middle, size=SMALL, colour=theme.TEXT if best else QUIET, anchor="center")
