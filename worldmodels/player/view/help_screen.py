"""The help: the game's rules and all keys, beside a game, over the picture, and while a model loads."""

from __future__ import annotations

from dataclasses import dataclass

import pygame

from worldmodels.player.session.box_controls import BoxControls
from worldmodels.player.session.controls import COMMAND_KEYS, Command, Controls, label
from worldmodels.player.view import theme
from worldmodels.player.view.theme import NORMAL, QUIET, SMALL, TITLE, write

ROW, LINE = 24, 17
TIME_LINE = (
    "The time line shows the {error}, the rewards (real ones above the model's) and how sure the model is that the "
    "episode goes on. A white line: models were put back; a blue one: an episode began; a short orange one: the first "
    "model left reality."
)
_SHORT = {
    Command.PUT_BACK: "put back",
    Command.NEW_EPISODE: "new episode",
    Command.PAUSE: "pause",
    Command.STEP: "one step",
    Command.REWIND: "back",
    Command.TOGGLE_PLAYER: "let play",
    Command.NEXT_PLAYER: "who",
    Command.BRANCHES: "branch",
    Command.UNCERTAINTY: "heat map",
    Command.NEXT_SETTING: "setting",
    Command.DECREASE: "less",
    Command.INCREASE: "more",
    Command.SAVE: "save",
    Command.LOAD: "load",
    Command.PICTURE: "picture",
    Command.VIEW: "view",
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


def make_guide(
    title: str, rules: str, controls: Controls | BoxControls, with_model: bool, players: int, of_images: bool = True
) -> Guide:
    """Return the guide of a session, without commands that have nothing to act on.

    Args:
        of_images: the model predicts images, and not numbers alone.
    """
    there = {
        **dict.fromkeys((Command.PUT_BACK, Command.BRANCHES, Command.UNCERTAINTY), with_model),
        Command.TOGGLE_PLAYER: players > 0,
        Command.NEXT_PLAYER: players > 1,
        Command.VIEW: not with_model,
    }
    missing = {command for command, makes_sense in there.items() if not makes_sense}
    commands = [(keys, command) for command, keys in COMMAND_KEYS.items() if command not in missing]
    return Guide(
        title,
        rules,
        tuple(controls.help()),
        tuple((" ".join(map(label, keys)), command.value) for keys, command in commands),
        tuple((label(keys[0]), _SHORT[command]) for keys, command in commands),
        TIME_LINE.format(error="image error" if of_images else "error") if with_model else "",
        controls.signs,
    )


def draw_guide(surface: pygame.Surface, area: pygame.Rect, guide: Guide) -> None:
    """Draw the rules and the game's keys in one column."""
    y = area.top
    for line in theme.wrap(guide.rules, area.width):
        y = write(surface, line, (area.left, y)).bottom + 3
    _table(surface, area.left, area.width, y + 18, guide.actions)


def draw_help(surface: pygame.Surface, guide: Guide, status: str = "") -> None:
    """Draw rules and keys over the whole picture; `status` says what the player is doing."""
    shade = pygame.Surface(surface.get_size(), pygame.SRCALPHA)
    shade.fill((*theme.BACKGROUND, 215))
    surface.blit(shade, (0, 0))
    theme.show_centred(surface, _help_panel(guide, status))


def _help_panel(guide: Guide, status: str) -> pygame.Surface:
    rules = theme.wrap(guide.rules, 724)
    notes = theme.wrap(guide.notes, 724, SMALL)
    tables = max(_height(guide.actions, 300), _height(guide.commands, 412))
    height = 64 + 20 * len(rules) + 54 + tables + (18 * len(notes) + 16 if notes else 0) + (44 if status else 4)
    panel = pygame.Surface((780, height), pygame.SRCALPHA)
    theme.card(panel, panel.get_rect())
    pygame.draw.rect(panel, theme.LINE, panel.get_rect(), width=1, border_radius=8)
    write(panel, guide.title, (28, 20), size=TITLE, bold=True)
    y = 58
    for line in rules:
        write(panel, line, (28, y))
        y += 20
    y += 22
    for left, width, name, table in (
        (28, 300, "In the game", guide.actions),
        (340, 412, "The player", guide.commands),
    ):
        write(panel, name, (left, y), size=SMALL, colour=theme.REAL, bold=True)
        _table(panel, left, width, y + 24, table)
    y += 24 + tables + 10
    for line in notes:
        write(panel, line, (28, y), size=SMALL, colour=QUIET)
        y += 18
    if status:
        write(panel, status, (28, panel.get_height() - 24), colour=theme.MODEL, anchor="midleft")
    return panel


def _table(surface: pygame.Surface, left: int, width: int, y: int, rows: tuple[tuple[str, str], ...]) -> None:
    """Draw keys and meanings below one another."""
    indent = _indent(rows)
    for keys, meaning in rows:
        write(surface, keys, (left, y), size=NORMAL, bold=True)
        for line in theme.wrap(meaning, width - indent, SMALL):
            write(surface, line, (left + indent, y + 1), size=SMALL, colour=QUIET)
            y += LINE
        y += ROW - LINE


def _height(rows: tuple[tuple[str, str], ...], width: int) -> int:
    """Return the height in pixels of a table."""
    lines = [len(theme.wrap(meaning, width - _indent(rows), SMALL)) for _, meaning in rows]
    return sum(ROW + LINE * (count - 1) for count in lines)


def _indent(rows: tuple[tuple[str, str], ...]) -> int:
    return 18 + max((theme.font(NORMAL, True).size(keys)[0] for keys, _ in rows), default=0)
