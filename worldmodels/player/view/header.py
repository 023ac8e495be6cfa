"""The header above the frames, and the two lines at the bottom: settings, and the most useful keys."""

from __future__ import annotations

import pygame

from worldmodels.player.session.snapshot import Snapshot
from worldmodels.player.view import theme
from worldmodels.player.view.help_screen import Guide
from worldmodels.player.view.theme import QUIET, SMALL, TITLE, write

HEADER, SETTINGS, HINTS = 74, 26, 34
"""Heights in pixels."""


def draw_header(surface: pygame.Surface, area: pygame.Rect, snapshot: Snapshot, source: str, latency: str) -> None:
    """Draw the header; `source` names the run of the model, `latency` says how fast pictures follow keys."""
    title = write(surface, snapshot.title, (area.left, 27), size=TITLE, bold=True, anchor="midleft")
    clock_colour = {"running": theme.GOOD, "paused": theme.MODEL, "episode over": theme.ALERT}[snapshot.clock]
    clock = "BRANCHES" if snapshot.branches else snapshot.clock.upper()
    pill = theme.pill(surface, clock, (area.right, 27), clock_colour)
    you = snapshot.player == "you"
    player = "YOU PLAY" if you else f"{snapshot.player.upper()} PLAYS"
    pill = theme.pill(surface, player, (pill.left - 8, 27), QUIET if you else theme.REAL)
    x = title.right + 18
    if snapshot.notice:
        theme.write_if_fits(surface, snapshot.notice, (x, 28), pill.left - 10, colour=theme.MODEL)
    elif source:
        theme.write_if_fits(surface, source, (x, 28), pill.left - 10)
    x = area.left
    for name, value in _facts(snapshot):
        x = theme.inline(surface, name, value, (x, 55)) + 20
    right = _totals(snapshot)
    if latency:
        right = f"{right}   ·   {latency}" if right else latency
    theme.write_if_fits(surface, right, (max(x, area.right - theme.font(SMALL).size(right)[0] - 1), 55), area.right + 1)


def draw_settings(surface: pygame.Surface, area: pygame.Rect, snapshot: Snapshot) -> None:
    """Draw all settings in one line, in which the chosen one stands out."""
    x, y = area.left, area.centery
    for i, (name, value) in enumerate(snapshot.settings):
        if x + theme.inline_width(name, value) > area.right:
            return
        chosen = i == snapshot.chosen
        right = write(
            surface, name, (x, y), size=SMALL, colour=theme.MODEL if chosen else QUIET, anchor="midleft"
        ).right
        x = write(surface, value, (right + 6, y), size=SMALL, bold=chosen, anchor="midleft").right + 22


def draw_hints(surface: pygame.Surface, area: pygame.Rect, guide: Guide) -> None:
    """Draw as many keys as fit."""
    x, y = area.left, area.centery
    for keys, text in guide.hints:
        width = theme.font(SMALL, True).size(keys)[0] + theme.font(SMALL).size(text)[0] + 6
        if x + width > area.right:
            return
        right = write(surface, keys, (x, y), size=SMALL, bold=True, anchor="midleft").right
        x = write(surface, text, (right + 6, y), size=SMALL, colour=QUIET, anchor="midleft").right + 20


def _facts(snapshot: Snapshot) -> list[tuple[str, str]]:
    facts = [("episode", f"{snapshot.episode}"), ("step", f"{snapshot.step}"), ("action", snapshot.action)]
    if snapshot.level_seed is not None:
        facts.insert(1, ("level", f"{snapshot.level_seed}"))
    if snapshot.branches:
        facts.append(("branches", f"step {snapshot.branches.step} of {snapshot.branches.steps}"))
    return facts


def _totals(snapshot: Snapshot) -> str:
    totals = snapshot.totals
    if not totals.episodes:
        return ""
    text = f"{totals.episodes} finished, mean return {totals.real_return / totals.episodes:.3g}"
    return text + (f" (model {totals.model_return / totals.episodes:.3g})" if snapshot.models else "")
