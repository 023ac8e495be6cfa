"""The list of recorded episodes, over the picture."""

from __future__ import annotations

from collections.abc import Iterator

import pygame

from worldmodels.envs.games.action_keys import key_label
from worldmodels.player.session.controls.key_table import Command, KeyTable
from worldmodels.player.session.episodes.episodes_snapshot import EpisodesSnapshot
from worldmodels.player.session.snapshot import plain
from worldmodels.player.view import theme
from worldmodels.player.view.canvas import Canvas
from worldmodels.player.view.theme import LARGE, NORMAL, QUIET, SMALL

TITLE = "Recorded episodes"
GAME = "the real game"
HEADS = ("episode", "return", "steps", "")
LEFTS = (16, 130, 220, 296)
"""The places of the columns of the list, in units from its left edge."""
WIDEST, ROW, HEAD, FOOT = 540, 22, 84, 34


def rows_around(snapshot: EpisodesSnapshot, count: int) -> range:
    """Return the lines, at most `count`, to show around the chosen one."""
    lines = len(snapshot.rows) + 1
    first = min(max(snapshot.chosen - count // 2, 0), max(lines - count, 0))
    return range(first, min(first + count, lines))


def row_texts(snapshot: EpisodesSnapshot, line: int) -> tuple[str, str, str, str]:
    """Return the texts of a line: number, return, steps and a note; line 0 is the real game."""
    if line == 0:
        return GAME, "", "", ""
    span, number = snapshot.rows[line - 1], snapshot.numbers[line - 1]
    notes = [*(["held out"] if span.held_out else []), *([] if span.ended else ["unfinished"])]
    return f"{number:,}", plain(span.total), f"{span.length - 1:,}", ", ".join(notes)


def keys_text(keys: KeyTable) -> str:
    """Return the keys of the list in one line."""
    of, commands = keys.directions, keys.commands
    pages = "/".join(key_label(commands[one][0]) for one in (Command.EARLIER, Command.LATER))
    arrows = "".join(key_label(of[name][0]) for name in ("up", "down"))
    turns = "".join(key_label(of[name][0]) for name in ("left", "right"))
    leave = key_label(commands[Command.QUIT][0])
    return f"{arrows} {pages} choose · {turns} order · Return or click begins · {leave} closes"


def draw_episodes(canvas: Canvas, snapshot: EpisodesSnapshot, keys: KeyTable) -> None:
    """Draw the list over the whole picture."""
    canvas.surface.fill((60, 60, 60), special_flags=pygame.BLEND_RGB_MULT)
    page = _page(canvas)
    canvas.card(page)
    canvas.border(theme.LINE, page, radius=8)
    canvas.write(TITLE, (page.left + 16, page.top + 12), size=LARGE, bold=True)
    canvas.write(snapshot.order, (page.right - 16, page.top + 24), size=SMALL, colour=QUIET, anchor="midright")
    for left, head in zip(LEFTS, HEADS, strict=True):
        canvas.write(head, (page.left + left, page.top + HEAD - 24), size=SMALL, colour=theme.REAL, bold=True)
    for line, place in _places(page, snapshot):
        chosen = line == snapshot.chosen
        if chosen:
            canvas.fill(theme.LINE, place)
        for left, text in zip(LEFTS, row_texts(snapshot, line), strict=True):
            at, room = (page.left + left, place.centery), page.width - left - 10
            canvas.write(text, at, size=NORMAL, bold=chosen, anchor="midleft", room=room)
    canvas.write(
        keys_text(keys),
        (page.centerx, page.bottom - 16),
        size=SMALL,
        colour=QUIET,
        anchor="center",
        room=page.width - 20,
    )


def line_at(canvas: Canvas, snapshot: EpisodesSnapshot, point: tuple[int, int]) -> int | None:
    """Return the line at a point, in units, if there is one."""
    return next((line for line, place in _places(_page(canvas), snapshot) if place.collidepoint(point)), None)


def _page(canvas: Canvas) -> pygame.Rect:
    area = canvas.area
    page = pygame.Rect(0, 0, min(WIDEST, area.width - 12), min(560, area.height - 12))
    page.center = area.center
    return page


def _places(page: pygame.Rect, snapshot: EpisodesSnapshot) -> Iterator[tuple[int, pygame.Rect]]:
    """Yield each shown line and its place."""
    count = (page.height - HEAD - FOOT) // ROW
    for i, line in enumerate(rows_around(snapshot, count)):
        yield line, pygame.Rect(page.left + 8, page.top + HEAD + ROW * i, page.width - 16, ROW)
