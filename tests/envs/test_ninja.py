"""The rules of ninja, checked through the numbers of its state."""

from __future__ import annotations

import numpy as np
import pytest
from game_states import Record, cells, records, start

from worldmodels.envs import GameEnv

STAR, EXPLOSION = 2, 3
BOMB, FIRE, BRICK, SPACE = 6, 14, 20, 100
LEFT, WAIT, UP, RIGHT = 1, 4, 5, 7
AHEAD, UP_AHEAD, UPWARDS, DOWN_AHEAD = 9, 10, 11, 12
FULL_JUMP = [1.5, 2.8, 3.9, 4.8, 5.5, 6.0, 6.3, 6.4, 6.3, 6.0, 5.5, 4.8, 3.9, 2.8, 1.5, 0]


def things(env: GameEnv, kind: int) -> list[Record]:
    return [thing for thing in records(env, "entities") if thing["type"] == kind]


@pytest.mark.parametrize(
    ("mode", "actions", "expected"),
    [
        ("hard", [UP] * 4 + [WAIT] * 16, [0] * 4 + FULL_JUMP),
        ("hard", [UP] * 9 + [WAIT] * 16, [0] * 9 + FULL_JUMP),  # more than a full charge there is not
        ("hard", [UP] + [WAIT] * 5, [0, 0.375, 0.55, 0.525, 0.3, 0]),
        (
            "easy",
            [UP] + [WAIT] * 14,
            [0, 1.25, 2.3, 3.15, 3.8, 4.25, 4.5, 4.55, 4.4, 4.05, 3.5, 2.75, 1.8, 0.65, 0],
        ),
    ],
)
def test_jumps(mode: str, actions: list[int], expected: list[float]) -> None:
    """As measured in Procgen's game."""
    env = start("ninja", 0, mode)
    heights = []
    for action in actions:
        env.step(action)
        heights.append(env.fields()["entities/0/y"] - 32.5)
    np.testing.assert_allclose(heights, expected, atol=1e-4)


def test_charge_is_lost_in_the_air() -> None:
    env = start("ninja", 0, "hard")
    for action in [UP] * 4 + [WAIT] + [UP] * 3:
        env.step(action)
    assert env.fields()["charge"] == 0


def test_run_up_to_the_wall_behind() -> None:
    env = start("ninja")
    speeds = []
    for _ in range(4):
        env.step(RIGHT)
        speeds.append(env.fields()["entities/0/vx"])
    np.testing.assert_allclose(speeds, [0.25, 0.375, 0.4375, 0.46875], atol=1e-6)
    for _ in range(12):
        env.step(LEFT)
    assert env.fields()["entities/0/x"] == pytest.approx(1.5)


@pytest.mark.parametrize(
    ("action", "vx", "vy"),
    [(AHEAD, 1, 0), (UP_AHEAD, 0.7071, 0.7071), (UPWARDS, 0, 1), (13, 1, 0), (14, 1, 0)],
)
def test_throws(action: int, vx: float, vy: float) -> None:
    for turn, side in (([WAIT] * 2, 1), ([LEFT] * 2, -1)):
        env = start("ninja", 0, "hard")
        for first in turn:
            env.step(first)
        env.step(action)
        star = things(env, STAR)[0]
        assert (star["vx"], star["vy"]) == pytest.approx((side * vx, vy), abs=1e-4)


def test_stars_stick_and_vanish() -> None:
    env = start("ninja", 0, "hard")
    for action in [WAIT, WAIT, UPWARDS]:
        env.step(action)
    heights = []
    while stars := things(env, STAR):
        heights.append(stars[0]["y"])
        env.step(WAIT)
    # From 32.5 one cell a step, to the roof at 40; it lives 16 steps, of which it does not end the last.
    np.testing.assert_allclose(heights, [32.5, 33.5, 34.5, 35.5, 36.5, 37.5, 38.5, 39.5] + [39.75] * 8, atol=1e-5)


def test_pause_between_throws() -> None:
    env = start("ninja", 0, "hard")
    counts = []
    for _ in range(7):
        env.step(UPWARDS)
        counts.append(len(things(env, STAR)))
    assert counts == [0, 0, 1, 1, 1, 2, 2]


def test_a_star_blows_up_a_bomb_and_the_explosion_grows() -> None:
    for level in range(200):
        env = start("ninja", level, "hard")
        bombs = env.fields()["bombs"]
        for action in [WAIT, WAIT, UP_AHEAD] * 3 + [WAIT, WAIT, AHEAD] * 3:
            env.step(action)
            if env.fields()["bombs"] < bombs:
                break
        if env.fields()["bombs"] < bombs:
            break
    blast = things(env, EXPLOSION)[0]
    assert cells(env)[int(blast["y"])][int(blast["x"])] == SPACE
    sizes = []
    while blasts := things(env, EXPLOSION):
        sizes.append(blasts[0]["rx"])
        env.step(WAIT)
    np.testing.assert_allclose(sizes, [0.5, 0.7, 0.98, 1.372, 1.9208], rtol=1e-4)


def test_sections_may_rise_by_one() -> None:
    """Only the two ledges of one section differ by 2 at least; as often in Procgen's game (0.087 of its levels)."""

    def rises_by_one(grid: list[list[int]], goal: int) -> bool:
        def ledge(x: int, y: int) -> bool:
            return grid[y][x] == BRICK and grid[y + 1][x] != BRICK and grid[y - 1][x] != BRICK

        floor = next(y for y, row in enumerate(grid) if FIRE in row)
        places = [(x, y) for x in range(5, goal) for y in range(floor + 2, 61) if ledge(x, y)]
        return any(ledge(x + 1, y + side) for x, y in places for side in (-1, 1))

    envs = [start("ninja", level, "easy") for level in range(400)]
    found = [rises_by_one(cells(env), int(env.fields()["entities/1/x"])) for env in envs]
    assert np.mean(found) == pytest.approx(0.087, abs=0.045)


@pytest.mark.parametrize("mode", ["easy", "hard"])
def test_caves(mode: str) -> None:
    bombs, goals = [], []
    for level in range(300):
        env = start("ninja", level, mode)
        numbers, grid = env.fields(), cells(env)
        goal_x, goal_y = int(numbers["entities/1/x"]), int(numbers["entities/1/y"])
        assert grid[goal_y - 1][goal_x] == BRICK and grid[goal_y][goal_x] == SPACE
        assert sum(row.count(BOMB) for row in grid) == numbers["bombs"]
        fire = [y for y, row in enumerate(grid) if FIRE in row]
        assert len(fire) == 1
        assert all(cell == FIRE for cell in grid[fire[0]][5 : goal_x + 1])
        assert all(cell == BRICK for row in grid[: fire[0]] for cell in row[5:])
        assert all(row[0] == BRICK for row in grid)
        bombs.append(numbers["bombs"])
        goals.append(goal_x)
    assert np.mean(bombs) == pytest.approx(0.85, abs=0.2)
    assert min(goals) >= 6 and max(goals) <= 58


def test_fire_ends_the_episode_and_pays_nothing() -> None:
    fell = 0
    for level in range(10):
        env = start("ninja", level, "hard")
        for _ in range(60):
            _, reward, terminated, _, _ = env.step(RIGHT)
            if terminated:
                fell += reward == 0
                break
    assert fell >= 6


def test_the_bar_shows_the_charge() -> None:
    env = start("ninja", 0, "hard", use_backgrounds=False)
    heights = []
    for _ in range(4):
        env.step(UP)
        frame = env.observe()
        heights.append(int((frame[:, 1] == (66, 245, 135)).all(axis=-1).sum()))
    assert heights == [3, 6, 9, 12]  # 3 cells of 4 pixels for a full charge
    env.step(WAIT)
    assert not (env.observe() == (66, 245, 135)).all(axis=-1).any()
