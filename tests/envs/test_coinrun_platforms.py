"""The rules of coinrun_platforms: the runner's physics number for number, monsters, coins and levels."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from game_states import Record, cells, records, start

from worldmodels.envs import GameEnv
from worldmodels.envs.games.table import GAME_INFO
from worldmodels.envs.native import _native

COIN, GROUND, GROUND_TOP, CRATE, LADDER, SPACE = 1, 15, 16, 20, 21, 100
WALLS = (GROUND, GROUND_TOP)
LEFT, DOWN, WAIT, UP, RIGHT, RIGHT_UP = 1, 3, 4, 5, 7, 8
# Heights over the ground after each step of a jump.
JUMP = [1.5, 2.8, 3.9, 4.8, 5.5, 6.0, 6.3, 6.4, 6.3, 6.0, 5.5, 4.8, 3.9, 2.8, 1.5, 0]


def runner(env: GameEnv) -> Record:
    prefix = "runner/"
    return {name.split("/")[-1]: value for name, value in env.fields().items() if prefix in name}


def find(wanted, levels: int = 400) -> tuple[GameEnv, list[list[int]], Record]:
    """The first level in which `wanted(grid, runner)` holds at the start."""
    for level in range(levels):
        env = start("coinrun_platforms", level)
        grid, body = cells(env), runner(env)
        if wanted(grid, body):
            return env, grid, body
    raise AssertionError("no such level")


def is_free(grid: list[list[int]], x: float, width: int, height: int) -> bool:
    columns = range(int(x), int(x) + width)
    return all(0 < i < 63 and grid[y][i] == SPACE for i in columns for y in range(1, 1 + height))


def free_right(width: int, height: int):
    return lambda grid, body: body["x"] > 1 and is_free(grid, body["x"] - 1, width + 1, height)


def test_a_jump_is_press_and_release() -> None:
    env, _, _ = find(free_right(2, 9))
    heights = []
    env.step(UP)
    assert runner(env)["y"] == 1, "pressing only charges"
    assert runner(env)["spring"] == pytest.approx(0.375)
    for _ in JUMP:
        env.step(WAIT)
        heights.append(runner(env)["y"] - 1)
    assert heights == pytest.approx(JUMP, abs=1e-4)
    env.step(WAIT)
    assert runner(env)["y"] == 1 and runner(env)["supported"]


def test_a_longer_charge_changes_nothing_but_the_time() -> None:
    env, _, _ = find(free_right(2, 9))
    for spring in (0.375, 0.75, 1.125, 1.5, 1.5):
        env.step(UP)
        assert runner(env)["spring"] == pytest.approx(spring)
    env.step(WAIT)
    assert runner(env)["y"] - 1 == pytest.approx(1.5)


def test_running_and_braking() -> None:
    env, _, _ = find(free_right(8, 3))
    for speed in (0.1, 0.18, 0.244, 0.2952, 0.33616, 0.368928):
        env.step(RIGHT)
        assert runner(env)["vx"] == pytest.approx(speed, abs=1e-5)
    env.step(RIGHT_UP)  # charging: no push from the keys
    assert runner(env)["vx"] == pytest.approx(0.8 * 0.368928, abs=1e-5)
    env.step(RIGHT)
    assert runner(env)["vy"] == pytest.approx(1.5)
    in_air = 0.97 * 0.8 * 0.368928 + 0.03
    assert runner(env)["vx"] == pytest.approx(in_air, abs=1e-5)


def test_slow_feet_stand_still() -> None:
    env, _, _ = find(free_right(4, 3))
    env.step(RIGHT)
    env.step(WAIT)
    assert runner(env)["vx"] == 0  # 0.08 is less than 0.1


def test_down_ducks_until_it_is_released() -> None:
    env, _, _ = find(free_right(2, 3))
    env.step(DOWN)
    assert runner(env)["spring"] == pytest.approx(-0.01)
    env.step(WAIT)
    assert runner(env)["spring"] == 0


def test_a_wall_stops_the_runner() -> None:
    env, _, _ = find(lambda grid, body: body["x"] > 52 and is_free(grid, body["x"], 63 - int(body["x"]), 3))
    for _ in range(40):
        env.step(RIGHT)
    assert runner(env)["x"] == pytest.approx(62.1, abs=2e-3)  # the foot at x + 0.9 leans on the wall at 63
    env.step(WAIT)
    assert runner(env)["vx"] == 0 and runner(env)["x"] < 62.1


def beside_ladder(grid: list[list[int]], body: Record) -> bool:
    x = int(body["x"])
    return grid[1][x + 1] == LADDER and grid[1][x] == SPACE


def test_ladders() -> None:
    env, grid, body = find(beside_ladder, 1500)
    column = int(body["x"]) + 1
    while runner(env)["x"] + 0.5 < column + 0.1:
        env.step(RIGHT)
    assert not runner(env)["on_ladder"], "walking by does not hold"
    speeds = []
    for _ in range(12):
        env.step(UP)
        assert runner(env)["on_ladder"]
        speeds.append(runner(env)["vy"])
    assert speeds[0] == pytest.approx(0.2, abs=0.12) and speeds[-1] == pytest.approx(0.4)
    assert runner(env)["x"] == pytest.approx(column, abs=0.35), "drawn to its middle"
    height = runner(env)["y"]
    for _ in range(10):
        env.step(WAIT)
    assert runner(env)["y"] > height, "no gravity"
    for _ in range(30):
        env.step(DOWN)
    assert runner(env)["y"] == 1


def test_monsters_stay_where_they_belong() -> None:
    """Walkers on what carries them, flyers between walls; none faster than 0.15."""
    for level in range(25):
        env = start("coinrun_platforms", level)
        born = records(env, "monsters")
        for _ in range(150):
            _, _, terminated, _, _ = env.step(WAIT)
            grid = cells(env)
            for monster, first in zip(records(env, "monsters"), born, strict=True):
                assert abs(monster["vx"]) <= 0.15 + 1e-6
                assert monster["y"] == first["y"]
                middle = int(monster["x"] + 0.5)
                assert grid[int(monster["y"])][middle] not in WALLS
                if not monster["flies"]:
                    assert grid[int(monster["y"]) - 1][middle] in (*WALLS, CRATE)
            if terminated:
                break


def test_contact_is_measured_along_the_axes() -> None:
    """Random play ends exactly when a monster is nearer than 1, across and upwards added up."""
    random = np.random.default_rng(0)
    deaths = 0
    for level in range(30):
        env = start("coinrun_platforms", level)
        action = WAIT
        for step in range(250):
            action = int(random.integers(9)) if step % 5 == 0 else action
            _, _, terminated, _, _ = env.step(UP if step % 10 == 0 else action)
            body = runner(env)
            near = [abs(m["x"] - body["x"]) + abs(m["y"] - body["y"]) for m in records(env, "monsters")]
            assert terminated == (min(near, default=9) < 1)
            deaths += terminated
            if terminated:
                break
    assert deaths > 2


# A way to the four coins of level 233, as (action, steps).
WAY = [(5, 1), (1, 14), (5, 1), (4, 6), (7, 11), (5, 1), (1, 17), (7, 3), (5, 1), (7, 17), (5, 1), (7, 17)]


def test_coins() -> None:
    """Each is worth 1 and the last one 10; the end comes in the same step."""
    env = start("coinrun_platforms", 233)
    left, rewards = env.fields()["coins"], []
    assert left == 4
    for action, steps in WAY:
        for _ in range(steps):
            _, reward, terminated, truncated, info = env.step(action)
            numbers = env.fields()
            if numbers["coins"] < left:
                rewards.append(reward)
                left = numbers["coins"]
            else:
                assert reward == 0
            assert sum(row.count(COIN) for row in cells(env)) == left
            assert terminated == info["prev_level_complete"] == (left == 0)
            assert not truncated
            if terminated:
                break
    assert rewards == [1, 1, 1, 10]


def test_levels() -> None:
    kinds: Counter[int] = Counter()
    walkers, flyers, levels = 0, 0, 120
    for level in range(levels):
        env = start("coinrun_platforms", level)
        grid, body = cells(env), runner(env)
        kinds += Counter(cell for row in grid for cell in row)
        assert env.fields()["coins"] == sum(row.count(COIN) for row in grid) > 0
        assert 1 <= body["x"] <= 62 and body["y"] == 1 and body["supported"]
        assert grid[1][int(body["x"])] == SPACE
        for y in range(3):
            assert COIN not in grid[y]
        for y in range(3, 63):
            for x in range(1, 63):
                if grid[y][x] == COIN:
                    assert all(grid[y - 1][i] in (*WALLS, CRATE) for i in (x - 1, x, x + 1))
                    assert all(grid[y][i] == SPACE for i in (x - 1, x + 1))
                if grid[y][x] == LADDER:
                    assert LADDER not in (grid[y][x - 1], grid[y][x + 1])
        monsters = records(env, "monsters")
        walkers += sum(not monster["flies"] for monster in monsters)
        flyers += sum(bool(monster["flies"]) for monster in monsters)
        assert all(monster["y"] > 2 for monster in monsters if monster["flies"])
    assert 6 < kinds[COIN] / levels < 11
    assert 5 < walkers / levels < 9 and 0.8 < flyers / levels < 2.5
    assert kinds[LADDER] > 0 and kinds[CRATE] > 0


def test_levels_can_be_solved() -> None:
    steps, solvable, ends_at_once = _native.certify("coinrun_platforms", "easy", 7000, 200, 1)
    assert solvable.all() and not ends_at_once.any()
    assert steps.min() > 0 and steps.max() <= 1000


def test_difficulty_means_nothing_here() -> None:
    assert dict(GAME_INFO["coinrun_platforms"].modes) == {"easy": 1000}
