"""The help: the game's rules and all keys, beside a game, over the picture, and while a model loads."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

import pygame

from worldmodels.envs.games.action_keys import key_label
from worldmodels.player.session.controls.box_controls import BoxControls
from worldmodels.player.session.controls.key_table import DEFAULT_KEYS, LATENT_KEYS, OF_BUTTONS, Command, KeyTable
from worldmodels.player.session.controls.keys import Controls
from worldmodels.player.view import theme
from worldmodels.player.view.canvas import Canvas
from worldmodels.player.view.theme import LARGE, NORMAL, QUIET, SMALL

ROW, LINE, RULE = 21, 15, 19
"""Units from one row of a table to the next, from one line in it, and from one line of the rules."""
PADDING, BETWEEN, HEAD = 14, 20, 20
"""Units around the help, between its columns, and of the name of a table."""
WIDEST, COLUMN, BRIEF_COLUMN = 1080, 300, 150
"""The greatest width of the help, and the least width of a column with full and with short texts."""
SHRINKS = tuple(1.0 - 0.05 * i for i in range(12))
"""Units get smaller by these factors until the help fits."""
OF_KEPT = (Command.EARLIER, Command.LATER, Command.EPISODES)
"""The commands that need other checkpoints or recorded episodes of the run."""
Table = tuple[tuple[str, str], ...]
TIME_LINE = (
    "The time line shows the {error}, the rewards (real ones above the model's) and the model's probability that the "
    "episode continues. White line: models were put back; blue line: an episode began; short orange line: the first "
    "model left reality."
)
_SHORT = {
    Command.PUT_BACK: "put back",
    Command.NEW_EPISODE: "new episode",
    Command.PAUSE: "pause",
    Command.STEP: "one step",
    Command.REWIND: "back",
    Command.MARK_BEFORE: "mark before",
    Command.MARK_AFTER: "mark after",
    Command.SURPRISE: "next surprise",
    Command.EARLIER: "earlier model",
    Command.LATER: "later model",
    Command.EPISODES: "episodes",
    Command.DRAW: "draw",
    Command.INFO: "info",
    Command.TOGGLE_PLAYER: "let play",
    Command.NEXT_PLAYER: "player",
    Command.BRANCHES: "branch",
    Command.UNCERTAINTY: "heat map",
    Command.LATENTS: "inside",
    Command.NEXT_SETTING: "setting",
    Command.DECREASE: "less",
    Command.INCREASE: "more",
    Command.SAVE: "save",
    Command.LOAD: "load",
    Command.PICTURE: "picture",
    Command.CLIP: "last 10 s",
    Command.GIF: "as GIF",
    Command.FILM: "film",
    Command.VIEW: "view",
    Command.FULL_SCREEN: "full screen",
    Command.ZOOM: "size",
    Command.HELP: "help",
    Command.QUIT: "quit",
}


@dataclass(frozen=True)
class Guide:
    """A guide holds the texts that a person needs before playing."""

    title: str
    rules: str
    actions: tuple[tuple[str, str], ...]
    """Keys and their meaning in the game."""
    commands: tuple[tuple[str, str], ...]
    """Keys and their commands to the player."""
    hints: tuple[tuple[str, str], ...]
    """Keys and their commands in a word."""
    notes: str
    """An explanation of the time line; may be empty."""
    signs: tuple[str, ...] = ()
    """A character or two for each action."""
    action_names: tuple[str, ...] = ()
    """The name of each action in a list of all actions."""
    hint_keys: tuple[str, ...] = ()
    """The key of each hint, by the name that the controls know."""
    keys: KeyTable = DEFAULT_KEYS
    """The keys of the session."""
    inside: tuple[tuple[str, str], ...] = ()
    """Keys and their commands in the pane inside the model, if there is a model."""


def make_guide(
    title: str,
    rules: str,
    controls: Controls | BoxControls,
    with_model: bool,
    players: int,
    of_images: bool = True,
    in_window: bool = True,
    kept: Collection[Command] = (),
) -> Guide:
    """Return the guide of a session, without commands that have nothing to act on.

    Args:
        of_images: the model predicts images, not only numbers.
        in_window: there is a window, which has keys of its own.
        kept: those of `OF_KEPT` for which the run keeps something.
    """
    there = {
        **dict.fromkeys((Command.PUT_BACK, Command.BRANCHES, Command.UNCERTAINTY, Command.LATENTS), with_model),
        **{command: with_model and command in kept for command in OF_KEPT},
        Command.SURPRISE: with_model and players > 1,
        Command.DRAW: with_model and of_images,
        Command.TOGGLE_PLAYER: players > 0,
        Command.NEXT_PLAYER: players > 1,
        Command.VIEW: not with_model,
        **dict.fromkeys((Command.FULL_SCREEN, Command.ZOOM), in_window),
    }
    missing = {command for command, makes_sense in there.items() if not makes_sense}
    commands = [(keys, command) for command, keys in controls.keys.commands.items() if command not in missing]
    return Guide(
        title,
        rules,
        tuple(controls.help()),
        tuple((" ".join(map(key_label, keys)), command.value) for keys, command in commands),
        tuple((key_label(keys[0]), _SHORT[command]) for keys, command in commands),
        TIME_LINE.format(error="image error" if of_images else "error") if with_model else "",
        controls.signs,
        controls.names,
        tuple(keys[0] for keys, _ in commands),
        controls.keys,
        _inside(controls.keys, in_window) if with_model else (),
    )


def _inside(keys: KeyTable, in_window: bool) -> Table:
    commands = LATENT_KEYS if in_window else OF_BUTTONS
    return tuple((" ".join(map(key_label, keys.latents[command])), command.value) for command in commands)


def draw_guide(canvas: Canvas, area: pygame.Rect, guide: Guide) -> None:
    """Draw the rules and the game's keys in one column, as much as there is room for; the help has all of it."""
    lines, room = canvas.wrap(guide.rules, area.width), max(1, area.height // RULE)
    if len(lines) > room:
        lines = [*lines[: room - 1], f"{lines[room - 1]} …"]
    for i, line in enumerate(lines):
        canvas.write(line, (area.left, area.top + RULE * i), room=area.width)
    y = area.top + RULE * len(lines)
    _table(canvas, pygame.Rect(area.left, y + 12, area.width, area.bottom - y - 12), guide.actions)


def draw_help(canvas: Canvas, guide: Guide, status: str = "") -> None:
    """Draw rules and keys over the whole picture, with a line for the player's status.

    With little room, commands have short texts and the notes are left out; then everything gets smaller.
    """
    canvas.surface.fill((40, 40, 40), special_flags=pygame.BLEND_RGB_MULT)
    for shrink in SHRINKS:
        smaller = Canvas(canvas.surface, canvas.scale * shrink)
        for brief in (False, True):
            page = _Page(smaller, guide, status, brief)
            if page.height <= smaller.area.height or (brief and shrink == SHRINKS[-1]):
                page.draw()
                return


class _Page:
    """The page of the help in one size: title, rules, tables side by side, notes and status below one another."""

    def __init__(self, canvas: Canvas, guide: Guide, status: str, brief: bool) -> None:
        self._canvas, self._guide, self._status = canvas, guide, status
        self._width = min(WIDEST, canvas.area.width - 12)
        inner = self._width - 2 * PADDING
        self._rules = canvas.wrap(guide.rules, inner)
        self._notes = [] if brief else canvas.wrap(guide.notes, inner, SMALL)
        commands = guide.hints if brief else guide.commands
        column = BRIEF_COLUMN if brief else COLUMN
        count = min(3, max(2, (inner + BETWEEN) // (column + BETWEEN)))
        half = -(-len(commands) // (count - 1))
        parts = [commands[i : i + half] for i in range(0, len(commands), half)]
        first = [("In the game", guide.actions), *([("Inside the model", guide.inside)] if guide.inside else [])]
        self._columns = [first, *([("The player", part)] for part in parts)]
        self._column = (inner - BETWEEN * (len(self._columns) - 1)) // len(self._columns)
        self._table_height = max(
            sum(HEAD + _height(canvas, table, self._column) for _, table in column) for column in self._columns
        )
        lines = 32 + RULE * len(self._rules) + 10 + self._table_height + 16 * len(self._notes) + (24 if status else 0)
        self.height = lines + 2 * PADDING

    def draw(self) -> None:
        canvas, page = self._canvas, pygame.Rect(0, 0, self._width, self.height)
        page.center = canvas.area.center
        canvas.card(page)
        canvas.border(theme.LINE, page, radius=8)
        inner = page.inflate(-2 * PADDING, -2 * PADDING)
        canvas.write(self._guide.title, inner.topleft, size=LARGE, bold=True, room=inner.width)
        y = inner.top + 32
        for line in self._rules:
            canvas.write(line, (inner.left, y))
            y += RULE
        y += 10
        for i, column in enumerate(self._columns):
            left, top = inner.left + i * (self._column + BETWEEN), y
            for name, table in column:
                canvas.write(name, (left, top), size=SMALL, colour=theme.REAL, bold=True)
                _table(canvas, pygame.Rect(left, top + HEAD, self._column, self._table_height), table)
                top += HEAD + _height(canvas, table, self._column)
        y += self._table_height
        for line in self._notes:
            canvas.write(line, (inner.left, y), size=SMALL, colour=QUIET)
            y += 16
        if self._status:
            canvas.write(self._status, (inner.left, inner.bottom - 9), colour=theme.MODEL, anchor="midleft")


def _table(canvas: Canvas, area: pygame.Rect, rows: Table) -> None:
    """Draw keys and meanings below one another, as many as there is room for."""
    indent, y = _indent(canvas, rows), area.top
    for keys, meaning in rows:
        lines = canvas.wrap(meaning, area.width - indent, SMALL)
        if y + LINE * len(lines) > area.bottom:
            return
        canvas.write(keys, (area.left, y), size=NORMAL, bold=True)
        for line in lines:
            canvas.write(line, (area.left + indent, y + 1), size=SMALL, colour=QUIET)
            y += LINE
        y += ROW - LINE


def _height(canvas: Canvas, rows: Table, width: int) -> int:
    """Return the height of a table."""
    lines = [len(canvas.wrap(meaning, width - _indent(canvas, rows), SMALL)) for _, meaning in rows]
    return sum(ROW + LINE * (count - 1) for count in lines)


def _indent(canvas: Canvas, rows: Table) -> int:
    return 12 + max((canvas.width(keys, NORMAL, bold=True) for keys, _ in rows), default=0)
