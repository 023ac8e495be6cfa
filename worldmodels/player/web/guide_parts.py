"""The parts of a scene that stay as they are: rules, keys, buttons for a touch screen, and the choices of settings."""

from __future__ import annotations

from typing import Any

import numpy as np

from worldmodels.envs.games.action_keys import DIRECTIONS, key_label
from worldmodels.player.session.controls.box_controls import OF_BOX, BoxControls, keys_of_buttons
from worldmodels.player.session.controls.key_file import BEGIN_KEYS
from worldmodels.player.session.controls.key_table import OF_BUTTONS, Command, KeyTable
from worldmodels.player.session.controls.keys import Controls
from worldmodels.player.session.settings import Settings
from worldmodels.player.view import theme
from worldmodels.player.view.colour_maps import COLOUR_MAP
from worldmodels.player.view.panels.episodes_panel import HEADS, TITLE, keys_text
from worldmodels.player.view.panels.help_screen import Guide

SCALE_COLOURS = 17
"""Colours from which the page mixes the scale of differences."""
PAD = {
    **dict(enumerate(("south", "east", "west", "north", "left shoulder", "right shoulder"))),
    **{8: "back", 9: "start", 12: "up", 13: "down", 14: "left", 15: "right"},
}
"""The buttons of a gamepad by the places of the standard that browsers keep to."""
OF_SETTINGS = (Command.NEXT_SETTING, Command.DECREASE, Command.INCREASE)
"""The commands that need no button, because the page has a slider for each setting."""
ROLES = {
    "background": theme.BACKGROUND,
    "card": theme.CARD,
    "line": theme.LINE,
    "text": theme.TEXT,
    "quiet": theme.QUIET,
    "model": theme.MODEL,
    "real": theme.REAL,
    "alert": theme.ALERT,
    "good": theme.GOOD,
    "difference": theme.DIFFERENCE,
    "reconstruction": theme.RECONSTRUCTION,
}


def hex_colour(colour: theme.Colour) -> str:
    """Return a colour as style sheets write it."""
    return "#{:02x}{:02x}{:02x}".format(*colour)


def style_sheet() -> str:
    """Return the colours of the player as variables of a style sheet."""
    positions = np.linspace(0, 255, SCALE_COLOURS).astype(int)
    scale = ", ".join(hex_colour(tuple(COLOUR_MAP[position].tolist())) for position in positions)
    roles = "".join(f"--{name}: {hex_colour(colour)}; " for name, colour in ROLES.items())
    return f":root {{ {roles}--scale: linear-gradient(to right, {scale}); }}\n"


def guide_part(guide: Guide) -> dict[str, Any]:
    """Return rules, tables of keys and notes, the commands as buttons, and the keys that the page itself looks at."""
    keys = guide.keys
    of_settings = {key for command in OF_SETTINGS for key in keys.commands[command]}
    return {
        "title": guide.title,
        "rules": guide.rules,
        "actions": guide.actions,
        "commands": guide.commands,
        "inside": guide.inside,
        "notes": guide.notes,
        "episodes": {"title": TITLE, "keys": keys_text(keys), "heads": HEADS, "buttons": _list_buttons(keys)},
        "buttons": [
            [key, *hint] for key, hint in zip(guide.hint_keys, guide.hints, strict=True) if key not in of_settings
        ],
        "keys": [*keys.names, *BEGIN_KEYS],
        "help": keys.commands[Command.HELP],
        "quit": keys.commands[Command.QUIT],
        "latents": [[keys.latents[one][0], key_label(keys.latents[one][0])] for one in OF_BUTTONS],
    }


def _list_buttons(keys: KeyTable) -> list[tuple[str, str]]:
    """Return the keys that a finger needs in the list of episodes, with the texts of their buttons."""
    commands = keys.commands
    pages = [(commands[Command.LATER][0], "▲"), (commands[Command.EARLIER][0], "▼")]
    return [*pages, (keys.directions["right"][0], "order"), (commands[Command.QUIT][0], "close")]


def touch_part(controls: Controls | BoxControls) -> list[dict[str, str]]:
    """Return a button for each key of an action; none for a box, whose bars are dragged."""
    if isinstance(controls, BoxControls):
        return []
    return [
        {"key": keys[0], "label": key_label(keys[0]), "meaning": meaning, "place": name if name in DIRECTIONS else ""}
        for name, keys, meaning in controls.bound_buttons()
    ]


def pad_part(controls: Controls | BoxControls) -> dict[int, str]:
    """Return the key of each button of a gamepad, by the place that browsers give it."""
    keys, of_box = keys_of_buttons(controls.keys), isinstance(controls, BoxControls)
    return {place: keys[name] for place, name in PAD.items() if name in keys and (name in OF_BOX or not of_box)}


def choices_part(settings: Settings) -> list[list[str]]:
    """Return the values that each setting can have, as texts."""
    return [list(setting.texts) for setting in settings.rows]
