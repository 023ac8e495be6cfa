"""A file that gives keys other meanings, in YAML. What it does not name keeps its keys:

    left: [left, h]              # the moves: left, right, up, down
    special_1: [space, return]   # the special actions of a game, in its order, up to special_12
    number_3: [j, l]             # of a box of actions: what pushes it down, and up; number_3 to number_8
    help: f5                     # commands, by the names that `names()` lists
    latents_hold: g              # those of the pane of latents, which takes its keys first while it is shown

Keys are named as on the help screen, in lower case: a, 1, -, space, return, f5, shift+f5, page up.

The names of keys, from pygame, that are valid in a key script, a page's message or a file of keys.
"""

from __future__ import annotations

from pathlib import Path
from string import ascii_lowercase, digits
from typing import Any

from worldmodels.core.errors import ConfigError, shortened, unknown
from worldmodels.core.files.yaml_files import place, read_mapping
from worldmodels.envs.games.action_keys import DIRECTIONS, SPECIAL_KEYS, Keys
from worldmodels.player.session.controls.box_controls import BoxControls
from worldmodels.player.session.controls.key_table import COMMAND_KEYS, LATENT_KEYS, NUMBER_KEYS, KeyTable
from worldmodels.player.session.controls.keys import Controls

FUNCTION_KEYS = tuple(f"f{number}" for number in range(1, 13))
SHIFTED = {name: f"shift+{name}" for name in FUNCTION_KEYS}
"""The keys that are another one while Shift is held."""
WITH_ALT = {"return": "alt+return"}
"""The keys that are another one while Alt is held."""
BEGIN_KEYS = ("return", "space")
"""The keys with which play begins, whatever else they mean."""
KEY_NAMES = (
    *("left", "right", "up", "down", "space", "return", "tab", "backspace", "escape"),
    *("insert", "delete", "home", "end", "page up", "page down"),
    *(*ascii_lowercase, *digits, *"-=+,./;'[]\\`?"),
    *(*FUNCTION_KEYS, *SHIFTED.values(), *WITH_ALT.values()),
)


COMMANDS = {command.name.lower(): command for command in COMMAND_KEYS}
LATENTS = {f"latents_{command.name.lower()}": command for command in LATENT_KEYS}
SPECIALS = tuple(f"special_{i}" for i in range(1, len(SPECIAL_KEYS) + 1))
NUMBERS = tuple(f"number_{i}" for i in range(3, 3 + len(NUMBER_KEYS)))
OF_GAMES = (*DIRECTIONS, *SPECIALS, *NUMBERS)
"""The names of actions, of which each game has some."""


def names() -> Keys:
    """Return every name that can have keys."""
    return *OF_GAMES, *COMMANDS, *LATENTS


def names_in_game(controls: Controls | BoxControls) -> Keys:
    """Return the names of the actions that the game of these controls has."""
    if isinstance(controls, Controls):
        moves = [name for name in DIRECTIONS if name in controls.keys_of_button]
        return *moves, *SPECIALS[: len(controls.keys_of_button) - len(moves)]
    if controls.has_sliders:
        return *DIRECTIONS, SPECIALS[0]
    count = len(controls.names)
    return *list(DIRECTIONS)[: 2 * count], *NUMBERS[: max(0, count - 2)]


def read_keys(path: Path, of_game: Keys | None = None) -> KeyTable:
    """Return the table of keys that a file gives.

    Args:
        of_game: the names of actions in the game that is played; without them all are allowed.

    Raises:
        ConfigError: the file cannot be read, a name or a key is unknown, a key has two meanings, or the game has no
            such action. The text has the line and the allowed values.
    """
    tree = read_mapping(path)
    given: dict[str, Any] = {}
    for name, value in tree.items():
        where = place(str(path), tree, name)
        if name not in names():
            raise ConfigError(f"{where}: {unknown('name', str(name), names())}")
        if of_game is not None and name in OF_GAMES and name not in of_game:
            raise ConfigError(
                f"{where}: a file names only actions that the game has, and this one has no '{name}'. It has "
                f"{', '.join(of_game) or 'none'}."
            )
        given[name] = _pair(value, where) if name in NUMBERS else _keys(value, where)
    table = KeyTable(
        directions={name: given.get(name, keys) for name, keys in DIRECTIONS.items()},
        specials=tuple(given.get(name, keys) for name, keys in zip(SPECIALS, SPECIAL_KEYS, strict=True)),
        numbers=tuple(given.get(name, pair) for name, pair in zip(NUMBERS, NUMBER_KEYS, strict=True)),
        commands={command: given.get(name, COMMAND_KEYS[command]) for name, command in COMMANDS.items()},
        latents={command: given.get(name, LATENT_KEYS[command]) for name, command in LATENTS.items()},
    )
    for name in given:
        _check_free(table, name, place(str(path), tree, name))
    return table


def _keys(value: Any, where: str) -> Keys:
    """Return one key or a list of different keys, all of which exist."""
    keys = tuple(str(key) for key in (value if isinstance(value, list) else [value]))
    for key in keys:
        if key not in KEY_NAMES:
            raise ConfigError(f"{where}: {unknown('key', key, KEY_NAMES)}")
    if not keys or len(set(keys)) < len(keys):
        raise ConfigError(f"{where}: one key or more, each once. Received {shortened(str(list(keys)))}.")
    return keys


def _pair(value: Any, where: str) -> tuple[Keys, Keys]:
    if not isinstance(value, list) or len(value) != 2:
        raise ConfigError(
            f"{where}: a number has two keys, or two lists of keys, [DOWN, UP]. Received {shortened(str(value))}."
        )
    down, up = (_keys(keys, where) for keys in value)
    return down, up


def _check_free(table: KeyTable, name: str, where: str) -> None:
    """Raise ConfigError if a key of `name` has a second meaning.

    A special action and a number of a box may share a key, since no game has both. The pane of latents and the game may
    share a key, since the open pane takes its keys first.
    """
    keys_of = {
        **table.directions,
        **dict(zip(SPECIALS, table.specials, strict=True)),
        **{number: down + up for number, (down, up) in zip(NUMBERS, table.numbers, strict=True)},
        **{command_name: table.commands[command] for command_name, command in COMMANDS.items()},
        **{command_name: table.latents[command] for command_name, command in LATENTS.items()},
    }
    own = keys_of[name]
    if len(set(own)) < len(own):
        raise ConfigError(f"{where}: a number's keys push it down or up. Received '{own[0]}' for both.")
    apart = OF_GAMES if name in LATENTS else tuple(LATENTS) if name in OF_GAMES else ()
    apart += NUMBERS if name in SPECIALS else SPECIALS if name in NUMBERS else ()
    for other in sorted(keys_of.keys() - {name, *apart}):
        for key in sorted(set(own) & set(keys_of[other])):
            raise ConfigError(
                f"{where}: a key means one thing. '{key}' means {name} and {other}: give one of them another key."
            )
