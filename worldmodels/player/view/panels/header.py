"""The header above the frames, and the two lines at the bottom: settings, and the most useful keys."""

from __future__ import annotations

import pygame

from worldmodels.player.session.episodes.episodes_snapshot import RecordedSnapshot
from worldmodels.player.session.snapshot import Snapshot, plain
from worldmodels.player.view import theme
from worldmodels.player.view.canvas import Canvas
from worldmodels.player.view.panels.help_screen import Guide
from worldmodels.player.view.theme import LARGE, NORMAL, QUIET, SMALL, TITLE

LOW = 60
"""The height below which the header has a smaller title."""
ALWAYS = 2
"""The last keys of the line, help and quit, are always shown."""


def draw_header(canvas: Canvas, area: pygame.Rect, snapshot: Snapshot, source: str, latency: str) -> None:
    """Draw the header; `source` names the run of the model, `latency` says how fast pictures follow keys.

    A message stands beside the title, or in the line below if it would be cut.
    """
    low = area.height < LOW
    first, second = (area.top + 15, area.top + 37) if low else (area.top + 27, area.top + 55)
    left = _pills(canvas, area.right, first, snapshot)
    room = left - area.left - 8
    sizes = (LARGE, NORMAL, SMALL) if low else (TITLE, LARGE, NORMAL, SMALL)
    size = next((size for size in sizes if canvas.width(snapshot.title, size, bold=True) <= room), SMALL)
    title = canvas.write(snapshot.title, (area.left, first), size=size, bold=True, anchor="midleft", room=room)
    x = title.right + 18
    fits = canvas.width(snapshot.notice, SMALL) <= left - 10 - x
    text, colour = (snapshot.notice, theme.MODEL) if snapshot.notice and fits else (source, QUIET)
    canvas.write(text, (x, first + 1), size=SMALL, colour=colour, anchor="midleft", room=left - 10 - x)
    if snapshot.notice and not fits:
        place = (area.left, second)
        canvas.write(snapshot.notice, place, size=SMALL, colour=theme.MODEL, anchor="midleft", room=area.width)
    else:
        _second_line(canvas, area, second, snapshot, latency)


def _pills(canvas: Canvas, right: int, y: int, snapshot: Snapshot) -> int:
    """Draw the player and the state of the clock; return their left end."""
    clock_colour = {"running": theme.GOOD, "paused": theme.MODEL, "episode over": theme.ALERT}[snapshot.clock]
    clock = "BRANCHES" if snapshot.branches else snapshot.clock.upper()
    pill = canvas.pill(clock, (right, y), clock_colour)
    you = snapshot.player == "you"
    player = "YOU PLAY" if you else f"{snapshot.player.upper()} PLAYS"
    return canvas.pill(player, (pill.left - 8, y), QUIET if you else theme.REAL).left


def _second_line(canvas: Canvas, area: pygame.Rect, y: int, snapshot: Snapshot, latency: str) -> None:
    """Draw the facts of the episode and, at the right, the totals."""
    x = area.left
    for name, value in facts(snapshot):
        if x + canvas.inline_width(name, value) > area.right:
            break
        x = canvas.inline(name, value, (x, y)) + 20
    sums = totals(snapshot)
    whole = " · ".join(text for text in (sums, latency) if text)
    right = next((text for text in (whole, sums, latency) if canvas.width(text, SMALL) <= area.right - x), "")
    canvas.write(right, (area.right, y), size=SMALL, colour=QUIET, anchor="midright")


def draw_settings(canvas: Canvas, area: pygame.Rect, snapshot: Snapshot) -> None:
    """Draw all settings, in which the chosen one stands out, in as many lines as there are."""
    lines = max(1, area.height // 18)
    x, y = area.left, area.top + area.height // lines // 2
    for i, (name, value) in enumerate(snapshot.settings):
        if x > area.left and x + canvas.inline_width(name, value) > area.right:
            x, y = area.left, y + area.height // lines
        if y > area.bottom:
            return
        chosen = i == snapshot.chosen
        colour = theme.MODEL if chosen else QUIET
        right = canvas.write(name, (x, y), size=SMALL, colour=colour, anchor="midleft").right
        x = canvas.write(value, (right + 6, y), size=SMALL, bold=chosen, anchor="midleft").right + 22


def draw_hints(canvas: Canvas, area: pygame.Rect, guide: Guide) -> None:
    """Draw as many keys as fit; those of help and quit always, at the end."""
    x, y, gap = area.left, area.centery, 20
    always = guide.hints[-ALWAYS:]
    end = area.right - sum(_hint_width(canvas, *hint) + gap for hint in always) + gap
    for hint in guide.hints[:-ALWAYS]:
        if x + _hint_width(canvas, *hint) + gap > end:
            break
        x = _draw_hint(canvas, *hint, (x, y)) + gap
    x = end
    for hint in always:
        x = _draw_hint(canvas, *hint, (x, y)) + gap


def draw_hint(canvas: Canvas, area: pygame.Rect, text: str) -> None:
    """Draw a text for beginners in the middle of the line of keys."""
    canvas.write(text, area.center, size=SMALL, colour=theme.MODEL, bold=True, anchor="center", room=area.width)


def _hint_width(canvas: Canvas, keys: str, text: str) -> int:
    return canvas.width(keys, SMALL, bold=True) + 6 + canvas.width(text, SMALL)


def _draw_hint(canvas: Canvas, keys: str, text: str, midleft: tuple[int, int]) -> int:
    """Draw a key and its command in a word; return their right end."""
    right = canvas.write(keys, midleft, size=SMALL, bold=True, anchor="midleft").right
    return canvas.write(text, (right + 6, midleft[1]), size=SMALL, colour=QUIET, anchor="midleft").right


def facts(snapshot: Snapshot) -> list[tuple[str, str]]:
    """Return the header's facts about the moment, as names and values."""
    found = [("episode", f"{snapshot.episode}"), ("step", f"{snapshot.step}"), ("action", snapshot.action)]
    if snapshot.level_seed is not None:
        found.insert(1, ("level", f"{snapshot.level_seed}"))
    if snapshot.recorded:
        found[:2] = _recorded_facts(snapshot.recorded, snapshot.step)
    if snapshot.checkpoint:
        found.append(("model of step", snapshot.checkpoint))
    if snapshot.awaited:
        found.append(("loading", snapshot.awaited.status))
    if snapshot.drawing:
        size = snapshot.drawing.size
        found.append(("draw", f"{snapshot.drawing.tool}, {size} x {size}"))
    if snapshot.drawn:
        found.append(("reality", "changed by hand"))
    if snapshot.branches:
        found.append(("branches", f"step {snapshot.branches.step} of {snapshot.branches.steps}"))
    model = snapshot.models[0] if snapshot.models else None
    if model and model.held:
        found.append(("latents held", f"{model.held}"))
    if model and model.changed:
        found.append(("latents", "changed by hand"))
    return found


def _recorded_facts(recorded: RecordedSnapshot, step: int) -> list[tuple[str, str]]:
    found = [("recorded episode", f"{recorded.number:,} of {recorded.count:,}")]
    if recorded.left:
        return [*found, ("alone since step", f"{recorded.at}"), ("step", f"{step}")]
    return [*found, ("step", f"{step} of {recorded.steps}")]


def totals(snapshot: Snapshot) -> str:
    """Return the header's facts about finished episodes; empty before the first."""
    sums = snapshot.totals
    if not sums.episodes:
        return ""
    text = f"{sums.episodes} finished, mean return {plain(sums.real_return / sums.episodes)}"
    return text + (f" (model {plain(sums.model_return / sums.episodes)})" if snapshot.models else "")
