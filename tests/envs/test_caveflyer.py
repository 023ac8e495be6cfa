"""The rules of caveflyer, checked through the numbers of its state."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np
import pytest
from game_states import Record, cells, overlap, records, start

from worldmodels.envs import GameEnv
from worldmodels.envs.native import _native

AGENT, GOAL, OBSTACLE, TARGET, SHOT, ENEMY = range(6)
DEADLY = (OBSTACLE, TARGET, ENEMY)
LEFT, BACK, GLIDE, THRUST, RIGHT, RIGHT_THRUST, FIRE = 1, 3, 4, 5, 7, 8, 9
SPACE = 100
MODES = ["easy", "hard", "memory"]


def things(env: GameEnv) -> list[Record]:
    return records(env, "entities")


def levels(mode: str, count: int) -> Iterator[GameEnv]:
    env = GameEnv("caveflyer", distribution_mode=mode, start_level=0, num_levels=0)
    for seed in range(count):
        env.reset(seed=seed)
        yield env


def free_above(env: GameEnv) -> int:
    """How many cells above the ship are open."""
    agent, grid = things(env)[0], cells(env)
    x, y = int(agent["x"]), int(agent["y"])
    column = [row[x] == SPACE for row in grid[y + 1 :]] + [False]
    return column.index(False)


def straight_above(mode: str, kind: int, far: int) -> GameEnv:
    """A level with a thing of a kind exactly above the ship, at most `far` cells away, and nothing between."""
    for env in levels(mode, 2000):
        agent, *others = things(env)
        above = [e for e in others if e["x"] == agent["x"] and e["y"] > agent["y"]]
        nearest = min(above, key=lambda e: e["y"], default=None)
        if not nearest or nearest["type"] != kind or any(e["type"] == ENEMY for e in above):
            continue
        if nearest["y"] - agent["y"] <= min(far, free_above(env)):
            return env
    raise AssertionError("no such level")


def open_level(room: int = 6) -> GameEnv:
    return next(env for env in levels("hard", 2000) if free_above(env) >= room and len(things(env)) == 2)


def test_thrust() -> None:
    env, speeds = open_level(), []
    for _ in range(9):
        env.step(THRUST)
        speeds.append(things(env)[0]["vy"])
    np.testing.assert_allclose(speeds, [0.081, 0.154, 0.220, 0.279, 0.332, 0.380, 0.423, 0.461, 0.496], atol=6e-4)
    env.step(GLIDE)
    assert things(env)[0]["vy"] == pytest.approx(0.9 * speeds[-1])


def test_thrust_back_is_a_third() -> None:
    env = open_level()
    env.step(BACK)
    assert things(env)[0]["vy"] == pytest.approx(-0.9 * 0.0297, abs=1e-6)


@pytest.mark.parametrize(("action", "sign"), [(RIGHT, 1), (LEFT, -1)])
def test_turning(action: int, sign: int) -> None:
    env, turned = open_level(), []
    for _ in range(4):
        env.step(action)
        turned.append(things(env)[0]["rotation"])
    # 7.5 degrees, then half of the turn before and 7.5 more; turning right is positive.
    expected = np.cumsum([7.5, 11.25, 13.125, 14.0625])
    np.testing.assert_allclose(turned, sign * expected % 360, atol=1e-4)


def test_thrust_goes_where_the_ship_pointed_before_it_turned() -> None:
    env = open_level()
    env.step(RIGHT_THRUST)
    agent = things(env)[0]
    assert (agent["vx"], agent["rotation"]) == (0, 7.5)
    assert agent["vy"] == pytest.approx(0.081, abs=1e-6)


def test_rock_stops_without_harm() -> None:
    for env in (env for env in levels("easy", 60) if len(things(env)) == 2):
        above = free_above(env)
        y = things(env)[0]["y"]
        for _ in range(60):
            if env.step(THRUST)[2]:
                break  # the goal
        else:
            assert things(env)[0]["y"] == pytest.approx(y + above + 0.1, abs=1e-4)
            assert things(env)[0]["vy"] == 0


def test_shots() -> None:
    env = open_level(11)
    x, y = (things(env)[0][axis] for axis in "xy")
    env.step(FIRE)
    env.step(FIRE)  # no cooldown
    first, second = (e for e in things(env) if e["type"] == SHOT)
    assert (first["rx"], first["ry"]) == (pytest.approx(0.1), 0.25)
    assert (first["vx"], first["vy"]) == (pytest.approx(0, abs=1e-6), pytest.approx(1, abs=1e-5))
    assert (first["x"], first["y"]) == (pytest.approx(x), pytest.approx(y + 1, abs=1e-4))  # has moved once
    assert (second["x"], second["y"]) == (x, y)  # is just born
    for _ in range(9):
        env.step(GLIDE)
    assert sum(e["type"] == SHOT for e in things(env)) == 2  # the first has moved ten times
    env.step(GLIDE)
    assert sum(e["type"] == SHOT for e in things(env)) == 1


def test_rock_stops_shots() -> None:
    env = next(env for env in levels("easy", 200) if free_above(env) == 2 and len(things(env)) == 2)
    env.step(FIRE)
    for _ in range(3):
        assert sum(e["type"] == SHOT for e in things(env)) == 1
        env.step(GLIDE)
    assert sum(e["type"] == SHOT for e in things(env)) == 0
    assert len(records(env, "effects")) == 1


def test_five_shots_destroy_a_target() -> None:
    env = straight_above("memory", TARGET, 8)
    targets = sum(e["type"] == TARGET for e in things(env))
    rewards = [env.step(FIRE)[1] for _ in range(5)] + [env.step(GLIDE)[1] for _ in range(9)]
    assert sum(rewards) == 3 and max(rewards) == 3
    assert sum(e["type"] == TARGET for e in things(env)) == targets - 1


def test_obstacles_absorb_shots() -> None:
    env = straight_above("memory", OBSTACLE, 8)
    count = sum(e["type"] == OBSTACLE for e in things(env))
    rewards = [env.step(FIRE)[1] for _ in range(8)] + [env.step(GLIDE)[1] for _ in range(9)]
    assert sum(rewards) == 0
    assert sum(e["type"] == OBSTACLE for e in things(env)) == count


def test_the_goal_completes_the_level() -> None:
    env = straight_above("easy", GOAL, 9)
    for _ in range(60):
        _, reward, ended, _, info = env.step(THRUST)
        if ended:
            break
    assert (reward, ended, bool(info["prev_level_complete"])) == (10, True, True)


@pytest.mark.parametrize("mode", MODES)
def test_ends_have_their_causes(mode: str) -> None:
    ends, random = 0, np.random.default_rng(0)
    for level in range(15):
        env, ended = start("caveflyer", level, mode), False
        for _ in range(150):
            _, reward, ended, _, info = env.step(int(random.choice([THRUST, THRUST, RIGHT, LEFT, FIRE])))
            agent, *others = things(env)
            touched = [e for e in others if e["type"] in (GOAL, *DEADLY) and overlap(agent, e)]
            assert ended == bool(touched)
            complete = any(e["type"] == GOAL for e in touched)
            assert bool(info["prev_level_complete"]) == complete
            assert reward in ((10, 13) if complete else (0, 3))
            if ended:
                break
        ends += ended
    assert ends > 3


def test_enemies_keep_their_speed_and_lane() -> None:
    checked = 0
    for level in range(12):
        env = start("caveflyer", level, "memory")
        before = [e for e in things(env) if e["type"] == ENEMY]
        grid = np.array(cells(env)) == SPACE
        for _ in range(200):
            if env.step(GLIDE)[2]:
                break
        after = [e for e in things(env) if e["type"] == ENEMY]
        for old, new in zip(before, after, strict=True):
            fixed, axis = ("y", "x") if old["vx"] else ("x", "y")
            assert new[fixed] == old[fixed]
            assert abs(new["v" + axis]) == pytest.approx(abs(old["v" + axis]), rel=1e-6)
            assert 0.1 <= abs(new["v" + axis]) <= 0.2
            assert (
                grid[int(new["y"] - 0.499), int(new["x"] - 0.499)]
                and grid[int(new["y"] + 0.499), int(new["x"] + 0.499)]
            )
            checked += 1
    assert checked > 50


@pytest.mark.parametrize(("mode", "mean", "size"), [("easy", 0.66, 30), ("hard", 1.08, 40), ("memory", 11.5, 60)])
def test_counts(mode: str, mean: float, size: int) -> None:
    counts = []
    for env in levels(mode, 300):
        agent, *others = things(env)
        kinds = [e["type"] for e in others]
        assert env.fields()["grid/width"] == size
        assert kinds.count(OBSTACLE) == kinds.count(TARGET) == kinds.count(ENEMY)
        counts.append(kinds.count(ENEMY))
        assert all(e["health"] == 5 for e in others if e["type"] == TARGET)
        assert len({(e["x"], e["y"]) for e in (agent, *others)}) == len(others) + 1
    assert np.mean(counts) == pytest.approx(mean, abs=4 * np.std(counts) / math.sqrt(len(counts)))


def test_nothing_deadly_starts_beside_the_ship() -> None:
    nearest = {kind: 99.0 for kind in DEADLY}
    for env in levels("memory", 250):
        agent, *others = things(env)
        for e in others:
            if e["type"] in DEADLY:
                columns, rows = abs(e["x"] - agent["x"]), abs(e["y"] - agent["y"])
                nearest[int(e["type"])] = min(nearest[int(e["type"])], max(columns, rows))
                if e["type"] == ENEMY and (rows if e["vx"] else columns) <= 1:
                    assert max(columns, rows) > 6  # it comes past the start
    assert nearest == {OBSTACLE: 2, TARGET: 2, ENEMY: 3}


@pytest.mark.parametrize("mode", MODES)
def test_levels_can_be_flown(mode: str) -> None:
    steps, solvable, idle_end = _native.certify("caveflyer", mode, 0, 300, 1)
    assert solvable.all() and not idle_end.any()
    assert (steps > 0).all()


def test_levels_where_enemies_shut_a_neck_are_not_made() -> None:
    """Every enemy's lane is at least four cells long."""
    for env in levels("hard", 200):
        grid = np.array(cells(env)) == SPACE
        for e in things(env):
            if e["type"] != ENEMY:
                continue
            x, y = int(e["x"]), int(e["y"])
            line, place = (grid[y], x) if e["vx"] else (grid[:, x], y)
            left = place - next(i for i in range(place, -2, -1) if i < 0 or not line[i])
            right = next(i for i in range(place, len(line) + 1) if i == len(line) or not line[i]) - place
            assert left + right - 1 >= 4
