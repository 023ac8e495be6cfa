"""The keys of games' actions: one table, from which the player, the documentation and `gymnasium.utils.play` take them.

Keys have the names that pygame gives them ("left", "space", "a", "1"), but nothing here needs pygame.

A game names its actions by buttons, for example ("left", "up") or ("d",). The four directions are buttons that lie on
the arrow keys and on W A S D. The others are special actions. Their own letters, D A W S Q E in the native games, would
collide with moving. So they lie on the keys of `SPECIAL_KEYS`, in the game's order. Actions without an effect in a
game, or with the effect of an earlier one, get no key.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TypeAlias

Keys: TypeAlias = tuple[str, ...]

DIRECTIONS: Mapping[str, Keys] = {
    "left": ("left", "a"),
    "right": ("right", "d"),
    "up": ("up", "w"),
    "down": ("down", "s"),
}
SPECIAL_KEYS: tuple[Keys, ...] = (
    *(("space", "j", "1"), ("k", "2"), ("l", "3"), ("u", "4"), ("i", "5"), ("o", "6")),
    *(("7",), ("8",), ("9",), ("0",), (",",), (".",)),
)
NOTHING = "nothing"
"""The meaning of an action that does nothing in a game; its keys stay free."""
STILL = "·"
"""The sign of an action that does nothing."""
LABELS = {
    "left": "←",
    "right": "→",
    "up": "↑",
    "down": "↓",
    "escape": "Esc",
    "space": "Space",
    "backspace": "Back",
    "tab": "Tab",
    "return": "Enter",
    "delete": "Del",
    "insert": "Ins",
    "home": "Home",
    "end": "End",
    "page up": "PgUp",
    "page down": "PgDn",
    "shift": "Shift",
    "alt": "Alt",
}


def key_label(key: str) -> str:
    """Return the name of a key for people; of "shift+f1" it is "Shift F1"."""
    first, plus, second = key.partition("+")
    if first and second:
        return f"{key_label(first)} {key_label(second)}"
    return LABELS.get(key, key.upper())


def lay_out(
    buttons: Sequence[Sequence[str]],
    meanings: Sequence[str],
    directions: Mapping[str, Keys] = DIRECTIONS,
    specials: Sequence[Keys] = SPECIAL_KEYS,
) -> dict[str, Keys]:
    """Return the keys of each button: fixed ones for directions, the next free ones for special actions.

    Args:
        buttons: for each action, the buttons that mean it; none for the action that does nothing.
        meanings: for each action, its meaning in this game; `NOTHING` where it does nothing.
        directions: the keys of each direction.
        specials: the keys of the first special action, of the second, and so on; more have none.
    """
    names = list(dict.fromkeys(_useful_buttons(buttons, meanings)))
    others = [name for name in names if name not in directions]
    keys = dict(zip(others, specials))  # noqa: B905  there may be more actions than keys
    return {name: directions.get(name) or keys.get(name, ()) for name in [*directions, *others] if name in names}


def signs(buttons: Sequence[Sequence[str]], meanings: Sequence[str], keys: Mapping[str, Keys]) -> tuple[str, ...]:
    """Return the name of each action in a character or two: an arrow for a move, else the key that takes it.

    A special action that repeats one before has its sign, one that does nothing a dot, and one without a key nothing.

    Args:
        keys: the keys of each button, as `lay_out` gives them.
    """
    found, of_meaning = [], {NOTHING: STILL}
    for action, (names, meaning) in enumerate(zip(buttons, meanings, strict=True)):
        moves = frozenset(name.lower() for name in names if name.lower() in DIRECTIONS)
        specials = [name.lower() for name in names if name.lower() not in DIRECTIONS]
        arrow = _arrow(moves) if moves or not specials else ""
        sign = arrow + "".join(_shortest(keys.get(name)) for name in specials)
        first = of_meaning.setdefault(meaning or f"action {action}", sign)
        found.append(first if specials else sign)
    return tuple(found)


def _arrow(moves: frozenset[str]) -> str:
    return _ARROWS.get(moves) or "".join(_ARROWS[frozenset({name})] for name in sorted(moves))


def _shortest(keys: Keys | None) -> str:
    """Return the shortest label of some keys, if there are any."""
    return min(map(key_label, keys or ()), key=len, default="")


_ARROWS = {
    **{frozenset({"left"}): "←", frozenset({"right"}): "→", frozenset({"up"}): "↑", frozenset({"down"}): "↓"},
    **{frozenset({"left", "up"}): "↖", frozenset({"right", "up"}): "↗"},
    **{frozenset({"left", "down"}): "↙", frozenset({"right", "down"}): "↘", frozenset(): STILL},
}


def _useful_buttons(buttons: Sequence[Sequence[str]], meanings: Sequence[str]) -> list[str]:
    """Return the buttons of all actions, without special ones that do nothing or repeat one before."""
    useful = []
    seen = {NOTHING}
    for names, meaning in zip(buttons, meanings, strict=True):
        moves = all(name.lower() in DIRECTIONS for name in names)
        if moves or meaning not in seen:
            useful += [name.lower() for name in names]
        seen.add(meaning)
    return useful
