"""The table of native games is written in C++ (`native/games/registry.cpp`) and read from there."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from types import MappingProxyType
from typing import Any

from worldmodels.core.errors import UserError, unknown
from worldmodels.envs.native import _native

NUM_ACTIONS = 15
OBSERVATION_SHAPE = (_native.OBSERVATION_SIZE, _native.OBSERVATION_SIZE, 3)
HUMAN_SIZE = 512
"""The view for people has this many pixels per side."""

ACTION_KEYS: tuple[tuple[str, ...], ...] = tuple(tuple(keys.split("+")) if keys else () for keys in _native.ACTION_KEYS)
"""Each action has keys that mean it together, such as `("left", "up")`; standing still has none."""


ONE_PRIZE = frozenset({"coinrun", "heist", "jumper", "leaper", "maze", "ninja", "random_mazes"})
"""The games in which only the end of a level is rewarded, with 10."""
WITH_LOSSES = frozenset({"fruitbot"})
"""The games with negative rewards."""


@dataclass(frozen=True)
class GameInfo:
    """An entry of the table says what is known about a game before one is made.

    Attributes:
        name: as in YAML and on the command line, "coinrun".
        title: as in Gymnasium ids and window titles, "CoinRun".
        rules: English prose: what one does, and what helps.
        rewards: what is worth how many points.
        ending: what ends an episode, time limits apart.
        looks: what varies in how it looks.
        action_meanings: one text for each of the 15 actions; "nothing" where an action has no meaning.
        modes: distribution mode -> time limit in steps, after which an episode is truncated.
    """

    name: str
    title: str
    rules: str
    rewards: str
    ending: str
    looks: str
    action_meanings: tuple[str, ...]
    modes: Mapping[str, int]

    @property
    def id(self) -> str:
        """The Gymnasium id."""
        return f"worldmodels/{self.title}-v0"


def _info(entry: dict[str, Any]) -> GameInfo:
    return GameInfo(**{**entry, "action_meanings": tuple(entry["action_meanings"])})


GAME_INFO: dict[str, GameInfo] = {entry["name"]: _info(entry) for entry in _native.GAMES}
GAMES: tuple[str, ...] = tuple(GAME_INFO)
"""The names of the native games."""


def find_game(name: str) -> GameInfo:
    """The game called `name`, or with that Gymnasium id. Raises `UserError` with the nearest name."""
    if not isinstance(name, str):
        raise UserError(f"The name of a game is text; received {name!r}.")
    for info in GAME_INFO.values():
        if name in (info.name, info.id):
            return info
    raise UserError(unknown("game", name, GAMES))


def check_mode(info: GameInfo, mode: str) -> None:
    """Raises `UserError` with the nearest mode if the game does not offer `mode`."""
    if not isinstance(mode, str):
        raise UserError(f"A distribution mode is text; received {mode!r}.")
    if mode not in info.modes:
        raise UserError(unknown(f"{info.name} distribution mode", mode, info.modes))


@cache
def variable_units(name: str, mode: str = "easy") -> Mapping[str, str]:
    """Return the unit of each variable of a game in a mode, by the variable's name and in their order.

    Units are "cells", "cells per step", "steps" and "count". Ranges are "0 or 1" (a flag), "0 to 1" (a share) and "-1
    to 1" (along an axis). Raises `UserError` for a game or mode that does not exist.
    """
    info = find_game(name)
    check_mode(info, mode)
    return MappingProxyType(_native.variable_units(info.name, mode))
