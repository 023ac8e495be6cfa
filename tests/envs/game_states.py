"""Reads the numbers of a native game's state: for tests of rules."""

from __future__ import annotations

import struct

from worldmodels.envs import GameEnv, GameVectorEnv

Record = dict[str, float]

ENVELOPE = 56  # bytes before the contents of a state


def start(game: str, level: int = 0, mode: str = "easy", **options: object) -> GameEnv:
    """The game at the beginning of one level."""
    env = GameEnv(game, distribution_mode=mode, start_level=level, num_levels=1, **options)
    env.reset(seed=0)
    return env


def records(env: GameEnv, field: str) -> list[Record]:
    """The entries of a list in the state ("entities"), each a dictionary of its numbers."""
    found: dict[int, Record] = {}
    for path, value in env.fields().items():
        parts = path.split("/")
        if field in parts[:-2]:
            at = parts.index(field)
            found.setdefault(int(parts[at + 1]), {})[parts[at + 2]] = value
    return [found[index] for index in sorted(found)]


def variables(env: GameEnv, mode: str = "easy", **options: object) -> Record:
    """The variables of the moment that a single environment shows."""
    other = GameVectorEnv(env.game.name, distribution_mode=mode, **options)
    other.set_state([env.get_state()])
    return dict(zip(other.variable_names, other.variables()[0].tolist(), strict=True))


def overlap(a: Record, b: Record) -> bool:
    """Whether the boxes of two entities overlap."""
    return abs(a["x"] - b["x"]) < a["rx"] + b["rx"] and abs(a["y"] - b["y"]) < a["ry"] + b["ry"]


def cells(env: GameEnv) -> list[list[int]]:
    """The grid as rows from the bottom, `cells(env)[y][x]`."""
    numbers, state = env.fields(), env.get_state()
    width, height = int(numbers["grid/width"]), int(numbers["grid/height"])
    # A grid is saved as width, height, outside, count, then pairs of a run's length and its cell.
    marker = struct.pack("<iiBI", width, height, int(numbers["grid/outside"]), width * height)
    at = state.index(marker, ENVELOPE) + len(marker)
    flat: list[int] = []
    while len(flat) < width * height:
        flat += [state[at + 1]] * state[at]
        at += 2
    return [flat[row * width : (row + 1) * width] for row in range(height)]
