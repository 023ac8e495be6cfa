"""Motion, number for number, as measured in Procgen's games."""

from __future__ import annotations

import numpy as np
import pytest

from worldmodels.envs import make

RIGHT, WAIT, UP, DOWN, LEFT = 7, 4, 5, 3, 1


def trace(env, name, actions):
    """The agent's `name` after each action."""
    found = []
    for action in actions:
        env.step(action)
        found.append(env.fields()[f"entities/0/{name}"])
    return np.array(found)


def start(game, seed=0, **options):
    env = make(game, **options)
    env.reset(seed=seed)
    return env


@pytest.mark.parametrize("mode", ["easy", "hard"])
def test_coinrun_jump(mode):
    env = start("coinrun", distribution_mode=mode)
    ground = env.fields()["entities/0/y"]
    heights = trace(env, "y", [UP] + [WAIT] * 15) - ground
    expected = [1.5, 2.8, 3.9, 4.8, 5.5, 6.0, 6.3, 6.4, 6.3, 6.0, 5.5, 4.8, 3.9, 2.8, 1.5, 0]
    np.testing.assert_allclose(heights, expected, atol=1e-5)


def test_coinrun_run():
    env = start("coinrun", debug_mode=2 + 4 + 8)
    speeds = trace(env, "vx", [RIGHT] * 9)
    np.testing.assert_allclose(speeds, [0.1, 0.18, 0.244, 0.295, 0.336, 0.369, 0.395, 0.416, 0.433], atol=5e-4)


def test_coinrun_stops_within_the_dead_zone():
    env = start("coinrun")
    speeds = trace(env, "vx", [RIGHT] * 3 + [WAIT] * 6)
    # 0.244, then times 0.8 per step: 0.195, 0.156, 0.125, then 0.09994 is below 0.1.
    np.testing.assert_allclose(speeds[3:], [0.1952, 0.15616, 0.124928, 0, 0, 0], atol=1e-6)


def test_coinrun_steers_less_in_the_air():
    env = start("coinrun")
    env.step(UP)
    # 0.03 * 0.5 a step in the air; exactly that is not below the dead zone of the air.
    np.testing.assert_allclose(trace(env, "vx", [RIGHT] * 3), [0.015, 0.02955, 0.0436635], atol=1e-6)


def test_coinrun_crates_carry_and_let_through():
    """Lands on a pile of crates, waits on it, drops through it."""
    env = start("coinrun", seed=0, start_level=crate_level(), num_levels=1, debug_mode=8)
    crates = [(x, y) for kind, x, y in things(env) if kind == 3]
    column = crates[0][0]
    heights = []
    for _ in range(400):
        x = env.fields()["entities/0/x"]
        towards = 8 if x < column else 2
        env.step(WAIT if abs(x - column) < 0.3 else towards)
        heights.append(env.fields()["entities/0/y"])
        if len(heights) > 30 and abs(x - column) < 0.9 and np.ptp(heights[-8:]) == 0:
            break
    standing = heights[-1]
    crates_below = standing - 0.5787 - 1
    assert round(crates_below) in (1, 2, 3) and crates_below == pytest.approx(round(crates_below), abs=1e-3)
    assert np.ptp(trace(env, "y", [WAIT] * 10)) == 0
    fallen = trace(env, "y", [DOWN] * 12)
    assert fallen[-1] < standing - 0.9


def things(env):
    """(type, x, y) of every entity but the agent."""
    numbers = env.fields()
    count = max(int(name.split("/")[1]) for name in numbers if name.startswith("entities/"))
    return [tuple(numbers[f"entities/{i}/{part}"] for part in ("type", "x", "y")) for i in range(1, count + 1)]


def crate_level():
    """A level seed with crates and nothing else in the way."""
    for seed in range(200):
        env = start("coinrun", start_level=seed, num_levels=1, debug_mode=8 + 2)
        kinds = [kind for kind, _, _ in things(env)]
        if kinds and set(kinds) == {3}:
            return seed
    raise AssertionError("no such level among the first 200")


def test_coinrun_walkers_keep_their_speed():
    """A bounce costs nothing: after 600 idle steps every walker is as fast as at first."""
    checked = 0
    for seed in range(60):
        env = start("coinrun", start_level=seed, num_levels=1, distribution_mode="hard")
        for _ in range(600):
            env.step(WAIT)
        numbers = env.fields()
        walkers = [i for i, (kind, _, _) in enumerate(things(env), start=1) if kind == 2]
        speeds = [abs(numbers[f"entities/{i}/vx"]) for i in walkers]
        np.testing.assert_allclose(speeds, 0.15, rtol=1e-6)
        checked += len(walkers)
    assert checked > 10


@pytest.mark.parametrize(
    ("mode", "expected", "terminal"),
    [
        ("extreme", [0.225, 0.326, 0.372, 0.392, 0.402, 0.406], 0.409),  # maximum 0.5
        ("easy", [0.3375, 0.4894, 0.5577, 0.5885, 0.6023, 0.6085], 0.614),  # maximum 0.75
    ],
)
def test_default_rule(mode, expected, terminal):
    env = start("starpilot", distribution_mode=mode)
    x, y = (env.fields()[f"entities/0/{axis}"] for axis in "xy")
    axis, action, sign = ("vx", RIGHT, 1) if x < 8 else ("vx", LEFT, -1)
    speeds = sign * trace(env, axis, [action] * 6)
    np.testing.assert_allclose(speeds, expected, atol=6e-4)
    assert speeds[-1] < terminal
    assert y == pytest.approx(env.fields()["entities/0/y"])


def test_maze_moves_one_cell_and_sideways_wins():
    env = start("maze")
    x, y = (env.fields()[name] for name in ("mouse_x", "mouse_y"))
    moved = set()
    for action in np.random.default_rng(0).choice([RIGHT, UP, LEFT, DOWN, 8, 2, 0, 6], 300):
        env.step(action)
        after = tuple(env.fields()[name] for name in ("mouse_x", "mouse_y"))
        step = (after[0] - x, after[1] - y)
        x, y = after
        moved.add((action, step))
    assert all(abs(dx) + abs(dy) <= 1 for _, (dx, dy) in moved)
    # 8, 2, 0 and 6 are diagonals: their vertical part is never used.
    assert all(dy == 0 for action, (_, dy) in moved if action in (8, 2, 0, 6))
    assert {action for action, step in moved if step != (0, 0)} >= {RIGHT, UP}
