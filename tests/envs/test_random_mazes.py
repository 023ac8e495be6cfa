"""The rules of random_mazes: sizes by difficulty, where the coin lies, and how one moves."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from game_states import cells, start

from worldmodels.envs import GameEnv
from worldmodels.envs.native import _native

WALL, SPACE = 51, 100
FLOOR, STONE, YELLOW, TURQUOISE = (30, 30, 30), (150, 150, 150), (255, 255, 0), (0, 255, 199)


def places(env: GameEnv) -> tuple[tuple[int, int], tuple[int, int]]:
    numbers = env.fields()
    return tuple((int(numbers[f"{who}_x"]), int(numbers[f"{who}_y"])) for who in ("player", "coin"))  # type: ignore


@pytest.mark.parametrize(("mode", "sizes"), [("easy", range(3, 26, 2)), ("hard", (21, 23, 25))])
def test_levels(mode: str, sizes: range) -> None:
    levels = 480
    found: Counter[int] = Counter()
    for level in range(levels):
        env = start("random_mazes", level, mode)
        grid, (player, coin) = cells(env), places(env)
        found[len(grid) - 2] += 1
        assert player == (1, 1) and coin != player
        assert grid[1][1] == grid[coin[1]][coin[0]] == SPACE
        size = len(grid) - 2
        # A spanning tree: all rooms, and one passage less than there are rooms.
        assert sum(row.count(SPACE) for row in grid) == 2 * ((size + 1) // 2) ** 2 - 1
    assert set(found) == set(sizes)
    expected = levels / len(sizes)
    assert all(abs(count - expected) < 4.5 * expected**0.5 for count in found.values())


def test_rooms_with_more_openings_are_likelier() -> None:
    """In a maze of 3 cells there are 4 rooms and 3 passages: 2 of 3 coins lie in rooms, less those at the start."""
    weights, lying = np.zeros(3), np.zeros(3)
    for level in range(3000):
        env = start("random_mazes", level)
        grid = cells(env)
        if len(grid) != 5:
            continue
        _, coin = places(env)
        kinds = {}
        for y in range(1, 4):
            for x in range(1, 4):
                if grid[y][x] == SPACE and (x, y) != (1, 1):
                    near = sum(grid[y + j][x + i] == SPACE for i, j in ((1, 0), (-1, 0), (0, 1), (0, -1)))
                    # 0: a passage, which counts once; 1, 2: a room with that many openings.
                    kinds[x, y] = 0 if (x + y) % 2 else near
        total = sum(max(kind, 1) for kind in kinds.values())
        for kind in kinds.values():
            weights[kind] += max(kind, 1) / total
        lying[kinds[coin]] += 1
    assert lying.sum() > 150
    assert np.allclose(lying, weights, atol=4 * np.sqrt(lying.sum() / 4))


def test_moves() -> None:
    """Every action, wherever a random walk leads: the cell in its direction, unless that is a wall."""
    random = np.random.default_rng(0)
    diagonal = 0
    for level in range(20):
        env = start("random_mazes", level, "hard")
        grid = cells(env)
        for _ in range(100):
            (x, y), coin = places(env)
            action = int(random.integers(15))
            dx, dy = (action // 3 - 1, action % 3 - 1) if action < 9 else (0, 0)
            there = (x + dx, y + dy) if grid[y + dy][x + dx] == SPACE else (x, y)
            diagonal += there == (x + dx, y + dy) and dx * dy != 0
            _, reward, terminated, _, info = env.step(action)
            assert (reward, terminated) == ((10, True) if there == coin else (0, False))
            assert info["prev_level_complete"] == terminated
            if terminated:
                break
            assert places(env)[0] == there
    assert diagonal > 20


@pytest.mark.parametrize("mode", ["easy", "hard"])
def test_coins_can_be_reached(mode: str) -> None:
    steps, solvable, ends_at_once = _native.certify("random_mazes", mode, 0, 3000, 1)
    assert solvable.all() and not ends_at_once.any()
    assert steps.max() < 500


def test_flat_colours_from_the_first_frame() -> None:
    """8.53 cells across: 7.5 pixels each, in the colours of the release."""
    env = start("random_mazes", 0, "hard")
    frame = env.observe()
    colours = {tuple(map(int, colour)) for colour in frame.reshape(-1, 3)}
    assert {FLOOR, STONE, TURQUOISE} <= colours
    # The player stands in the middle; left of it are 4.3 - 0.5 cells of wall, that is 28 pixels.
    row = frame[31]
    assert (row[:28] == STONE).all() and not (row[29] == STONE).all()
    assert np.array_equal(frame, start("random_mazes", 0, "hard").observe())
    black = start("random_mazes", 0, "hard", use_backgrounds=False).observe()
    assert (0, 0, 0) in {tuple(map(int, colour)) for colour in black.reshape(-1, 3)}


def test_the_coin_is_yellow() -> None:
    found = False
    for level in range(40):
        env = start("random_mazes", level)
        (x, y), (coin_x, coin_y) = places(env)
        if abs(coin_x - x) < 4 and abs(coin_y - y) < 4:
            found = True
            assert (env.observe() == YELLOW).all(axis=-1).any()
    assert found
