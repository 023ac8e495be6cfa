"""The keys that a gamepad presses in a game of choices, with its cross, its left stick and its buttons.

A gamepad is as SDL and browsers know it: the four buttons at the right are south, east, west and north.
"""

from __future__ import annotations

from worldmodels.player.session.controls.keys import Command, KeyTable

SPECIALS = ("south", "east", "west", "north", "left shoulder", "right shoulder")
"""The buttons of the first special actions."""
OF_BOX = ("up", "down", "left", "right", "start", "back")
"""The buttons that also work in a box of actions."""
PUSHED, LET_GO = 0.5, 0.35
"""Stick thresholds: a direction is pressed above the first and released below the second."""


def keys_of_buttons(table: KeyTable) -> dict[str, str]:
    """Return the key that each button of a gamepad presses."""
    keys = {name: keys[0] for name, keys in table.directions.items()}
    keys |= {button: keys[0] for button, keys in zip(SPECIALS, table.specials, strict=False)}
    return keys | {"start": table.commands[Command.PAUSE][0], "back": table.commands[Command.HELP][0]}


def directions_of_stick(x: float, y: float, held: frozenset[str]) -> frozenset[str]:
    """Return the directions that a stick presses.

    Args:
        x: from -1, left, to 1, right.
        y: from -1, up, to 1, down.
        held: the directions that are pressed now; they are released below the lower threshold.
    """
    pushed = {"left": -x, "right": x, "up": -y, "down": y}
    return frozenset(name for name, by in pushed.items() if by >= (LET_GO if name in held else PUSHED))
