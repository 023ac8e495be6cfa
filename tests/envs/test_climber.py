"""The rules of climber, checked through the numbers of its state."""

from __future__ import annotations

import numpy as np
import pytest
from game_states import cells, records, start

from worldmodels.envs import GameEnv

BAT, CRYSTAL = 1, 2
WAIT, UP, RIGHT = 4, 5, 7
MIDDLE, TOP = 15, 16


def levels(mode: str, count: int) -> list[GameEnv]:
    return [start("climber", level, mode) for level in range(count)]


def test_jump() -> None:
    """As measured in Procgen's game."""
    expected = [1.5, 2.8, 3.9, 4.8, 5.5, 6.0, 6.3, 6.4, 6.3, 6.0, 5.5, 4.8, 3.9, 2.8, 1.5, 0]
    env = next(env for env in levels("hard", 50) if not any(cells(env)[row][1] == TOP for row in range(1, 9)))
    heights = []
    for action in [UP] + [WAIT] * 15:
        env.step(action)
        heights.append(env.fields()["entities/0/y"] - 1.5)
    np.testing.assert_allclose(heights, expected, atol=1e-4)


def test_run() -> None:
    env = start("climber")
    speeds = []
    for _ in range(4):
        env.step(RIGHT)
        speeds.append(env.fields()["entities/0/vx"])
    np.testing.assert_allclose(speeds, [0.25, 0.375, 0.4375, 0.46875], atol=1e-6)


@pytest.mark.parametrize(("mode", "width", "bats"), [("easy", 16, 0.64), ("hard", 20, 1.82)])
def test_counts(mode: str, width: int, bats: float) -> None:
    found = [records(env, "entities") for env in levels(mode, 400)]
    crystals = [sum(thing["type"] == CRYSTAL for thing in level) for level in found]
    assert min(crystals) >= 1 and max(crystals) <= 10
    assert np.mean(crystals) == pytest.approx(2.6, abs=0.3)
    assert np.mean([sum(thing["type"] == BAT for thing in level) for level in found]) == pytest.approx(bats, abs=0.22)
    assert len(cells(start("climber", 0, mode))[0]) == width


def test_platforms_are_within_reach() -> None:
    for env in levels("hard", 60):
        rows = [y for y, row in enumerate(cells(env)) if TOP in row]
        assert rows[0] == 0 and 2 <= len(rows) <= 11
        assert all(3 <= rise <= 5 for rise in np.diff(rows))


def test_crystals_lie_on_platforms() -> None:
    for env in levels("hard", 60):
        grid = cells(env)
        crystals = [thing for thing in records(env, "entities") if thing["type"] == CRYSTAL]
        assert all(grid[int(c["y"]) - 1][int(c["x"])] == TOP for c in crystals)
        highest = max(y for y, row in enumerate(grid) if TOP in row)
        assert max(int(c["y"]) for c in crystals) == highest + 1


def test_bats_turn_and_keep_their_speed() -> None:
    checked = 0
    for env in levels("hard", 25):
        began = [thing["x"] for thing in records(env, "entities") if thing["type"] == BAT]
        for _ in range(300):
            env.step(WAIT)
            bats = [thing for thing in records(env, "entities") if thing["type"] == BAT]
            assert all(abs(bat["x"] - x) < 4.16 for bat, x in zip(bats, began, strict=True))
        np.testing.assert_allclose([abs(bat["vx"]) for bat in bats], 0.15, rtol=1e-5)
        checked += len(bats)
    assert checked > 15


def test_random_play_pays_as_the_rules_say() -> None:
    """1 for each crystal, 10 more with the last; a bat ends the episode without completing the level."""
    random = np.random.default_rng(0)
    completed = died = 0
    for env in levels("hard", 60):
        before = records(env, "entities")
        for _ in range(400):
            _, reward, terminated, _, info = env.step(int(random.integers(9)))
            now = records(env, "entities")
            taken = len(before) - len(now)
            left = sum(thing["type"] == CRYSTAL for thing in now)
            assert reward == taken + (0 if left else 10)
            assert terminated or left
            before = now
            if terminated:
                completed += left == 0
                died += left > 0
                break
    assert completed >= 3 and died >= 10
