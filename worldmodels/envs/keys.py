"""The keyboard of a game, as `gymnasium.utils.play` wants it."""

from __future__ import annotations

from itertools import combinations

from worldmodels.envs.games import ACTION_KEYS

# The codes of SDL, and so of pygame, which need not be installed. Letters have that of their character.
_ARROWS = {"right": 0x4000004F, "left": 0x40000050, "down": 0x40000051, "up": 0x40000052}
_OPPOSITE = ({"left", "right"}, {"up", "down"})


def keys_to_action() -> dict[tuple[int, ...] | str, int]:
    """For every combination of keys that can be held, as key codes, the action that it means.

    Nothing held is "", since `play` takes no empty tuple, and would otherwise take action 0, which moves. Opposite
    arrows cancel out; a letter goes before the arrows, and the first one before the others.
    """
    actions = {frozenset(keys): action for action, keys in enumerate(ACTION_KEYS)}
    letters = [keys[0] for keys in ACTION_KEYS if len(keys) == 1 and keys[0] not in _ARROWS]
    names = [*_ARROWS, *letters]
    meanings: dict[tuple[int, ...] | str, int] = {}
    for count in range(len(names) + 1):
        for held in combinations(names, count):
            codes = tuple(_ARROWS.get(name) or ord(name) for name in held)
            meanings[codes or ""] = actions[_meant(set(held), letters)]
    return meanings


def _meant(held: set[str], letters: list[str]) -> frozenset[str]:
    for letter in letters:
        if letter in held:
            return frozenset({letter})
    for pair in _OPPOSITE:
        if pair <= held:
            held = held - pair
    return frozenset(held)
