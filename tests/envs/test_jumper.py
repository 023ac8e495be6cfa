"""The rules of jumper, checked through the numbers of its state."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np
import pytest
from game_states import Record, cells, overlap, records, start

from worldmodels.envs import GameEnv, make
from worldmodels.envs.native import _native

AGENT, CARROT, SPIKE = range(3)
WAIT, JUMP, RIGHT, LEFT = 4, 5, 7, 1
SPACE = 100
DISC, NEEDLE = (168, 166, 158), (252, 186, 3)


def things(env: GameEnv) -> list[Record]:
    return records(env, "entities")


def levels(mode: str, count: int) -> Iterator[GameEnv]:
    env = GameEnv("jumper", distribution_mode=mode, start_level=0, num_levels=0)
    for seed in range(count):
        env.reset(seed=seed)
        yield env


def solid(env: GameEnv) -> np.ndarray:
    return np.array(cells(env)) != SPACE


def high_room(above: int) -> GameEnv:
    """A level with so many open cells above the hare."""
    for env in levels("hard", 2000):
        agent, walls = things(env)[0], solid(env)
        x, y = int(agent["x"]), int(agent["y"])
        if walls[y - 1, x] and not walls[y : y + above, x].any():
            return env
    raise AssertionError("no such level")


def heights(env: GameEnv, actions: list[int]) -> np.ndarray:
    found = []
    for action in actions:
        env.step(action)
        found.append(things(env)[0]["y"])
    return np.array(found)


def test_jump() -> None:
    env = high_room(5)
    ground = heights(env, [WAIT] * 3)[-1]
    risen = heights(env, [JUMP] + [WAIT] * 14) - ground
    expected = np.cumsum([1.0, 0.85, 0.7, 0.55, 0.4, 0.25, 0.1, -0.05, -0.2, -0.35, -0.5, -0.65, -0.8, -0.95])
    np.testing.assert_allclose(risen[:14], expected, atol=1e-5)
    assert risen[14] == pytest.approx(0, abs=1e-5)  # lands


def test_no_jump_before_the_fourth_step() -> None:
    env = high_room(5)
    ground = things(env)[0]["y"]
    np.testing.assert_allclose(heights(env, [JUMP] * 5) - ground, [0, 0, 0, 1, 1.85], atol=1e-5)


def test_double_jump_and_no_third() -> None:
    env = high_room(9)
    heights(env, [WAIT] * 3)
    left = []
    for _ in range(14):
        env.step(JUMP)
        left.append(env.fields()["jumps"])
    # Holding jumps again as soon as four steps have passed; then nothing is left.
    assert left == [1, 1, 1, 1] + [0] * 10
    speeds = [things(env)[0]["vy"]]
    env.step(JUMP)
    speeds.append(things(env)[0]["vy"])
    assert speeds[1] < speeds[0]


def test_air_jump_shows_a_puff() -> None:
    env = high_room(9)
    heights(env, [WAIT] * 3 + [JUMP] + [WAIT] * 4)
    assert records(env, "effects") == []
    env.step(JUMP)
    assert len(records(env, "effects")) == 1


def test_walk() -> None:
    for env in levels("hard", 300):
        agent, walls = things(env)[0], solid(env)
        x, y = int(agent["x"]), int(agent["y"])
        if walls[y - 1, x - 1 : x + 3].all() and not walls[y, x : x + 3].any():
            break
    speeds = []
    for _ in range(3):
        env.step(RIGHT)
        speeds.append(things(env)[0]["vx"])
    np.testing.assert_allclose(speeds, [0.25, 0.375, 0.4375], atol=1e-6)


def test_fall_has_a_limit() -> None:
    """Gravity pulls no more from -2 on, so no fall is faster than -2.15 after the step that passes it."""
    slowest = 0.0
    for level in range(40):
        env = start("jumper", level, "memory")
        for step in range(120):
            if env.step(RIGHT if step % 40 < 20 else LEFT)[2]:
                break
            slowest = min(slowest, things(env)[0]["vy"])
    assert -2.15 < slowest < -0.5


@pytest.mark.parametrize(("mode", "size"), [("easy", 20), ("hard", 40), ("memory", 45)])
def test_levels(mode: str, size: int) -> None:
    spikes = 0
    for env in levels(mode, 200):
        agent, carrot, *rest = things(env)
        walls = solid(env)
        assert walls.shape == (size, size)
        x, y = int(agent["x"]), int(agent["y"])
        assert not walls[y : y + 2, x].any()
        assert agent["y"] == pytest.approx(y + 0.4)
        places = {(int(e["x"]), int(e["y"])) for e in rest}
        assert all(e["type"] == SPIKE and e["y"] == pytest.approx(int(e["y"]) + 0.4) for e in rest)
        for u, v in places:
            assert walls[v - 1, u] and not walls[v, u - 1 : u + 2].any()  # on its ground, with room beside it
            assert (u + 1, v) not in places
        near = {(x + i, y + j) for i in (-1, 0, 1) for j in (-1, 0, 1)}
        assert not near & (places | {(int(carrot["x"]), int(carrot["y"]))})
        spikes += len(rest)
    assert spikes == 0 if mode == "memory" else 1 < spikes / 200 < 8


@pytest.mark.parametrize("mode", ["easy", "hard"])
def test_ends_have_their_causes(mode: str) -> None:
    ends, random = [0, 0], np.random.default_rng(1)
    for level in range(25):
        env = start("jumper", level, mode)
        for _ in range(200):
            _, reward, ended, _, info = env.step(int(random.choice([0, 1, 2, 6, 7, 8, 8])))
            agent, *others = things(env)
            touched = {e["type"] for e in others if overlap(agent, e)}
            assert ended == bool(touched)
            assert bool(info["prev_level_complete"]) == (CARROT in touched) == (reward == 10)
            if ended:
                ends[CARROT in touched] += 1
                break
    assert min(ends) > 1


@pytest.mark.parametrize("mode", ["easy", "hard", "memory"])
def test_levels_can_be_played(mode: str) -> None:
    steps, solvable, idle_end = _native.certify("jumper", mode, 0, 300, 1)
    assert solvable.all() and not idle_end.any()
    for level in range(5):
        assert start("jumper", level, mode).fields()["solution"] == steps[level] > 0


@pytest.mark.parametrize(("mode", "view", "disc"), [("easy", 12, 3), ("hard", 16, 2)])
def test_compass_and_bar(mode: str, view: int, disc: int) -> None:
    scale = 512 / view
    for level in range(6):
        env = make("jumper", "rgb_array", distribution_mode=mode, start_level=level, num_levels=1)
        env.reset(seed=0)
        agent, carrot = records(env, "entities")[:2]
        dx, dy = carrot["x"] - agent["x"], carrot["y"] - agent["y"]
        frame = np.asarray(env.render())
        right, top = 512 - 0.25 * scale, 0.25 * scale
        left, below = right - disc * scale, top + disc * scale
        middle = np.array([(left + right) / 2, (top + below) / 2])
        ahead = np.array([dx, -dy]) / math.hypot(dx, dy) * 0.35 * disc * scale
        column, row = (middle + ahead).astype(int)
        assert tuple(frame[row, column]) == NEEDLE
        column, row = (middle - ahead).astype(int)
        assert tuple(frame[row, column]) == DISC
        bar = frame[int(below) + 3, int(left) : int(right)]
        length = disc * scale * math.hypot(dx, dy) / (env.fields()["grid/width"] * math.sqrt(2))
        assert (bar == NEEDLE).all(1).sum() == pytest.approx(length, abs=2)


def test_memory_mode_has_no_compass() -> None:
    env = make("jumper", "rgb_array", distribution_mode="memory", start_level=0, num_levels=1)
    env.reset(seed=0)
    assert not (np.asarray(env.render())[:96, 400:] == NEEDLE).all(2).any()
