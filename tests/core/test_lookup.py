from __future__ import annotations

import pytest

from worldmodels.core.errors import nearest, plural, unknown

GAMES = ["coinrun", "maze", "starpilot"]


@pytest.mark.parametrize(
    "name, expected",
    [("mase", "maze"), ("Maze", "maze"), ("star_pilot", "starpilot"), ("conrun", "coinrun"), ("tetris", None)],
)
def test_nearest(name: str, expected: str | None) -> None:
    assert nearest(name, GAMES) == expected


def test_unknown_suggests_and_lists() -> None:
    expected = "Unknown game 'mase'. Did you mean 'maze'? Games: coinrun, maze, starpilot."
    assert unknown("game", "mase", GAMES) == expected


def test_unknown_without_a_near_name() -> None:
    assert unknown("game", "tetris", GAMES) == "Unknown game 'tetris'. Games: coinrun, maze, starpilot."


def test_unknown_without_any_choice() -> None:
    assert unknown("preset", "x", []) == "Unknown preset 'x'. Presets: none."


@pytest.mark.parametrize("noun, many", [("game", "games"), ("policy", "policies"), ("key", "keys"), ("loss", "losses")])
def test_plural(noun: str, many: str) -> None:
    assert plural(noun) == many
