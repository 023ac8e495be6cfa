"""The rules of miner: its levels, and every step of random play against the rules written a second time in Python."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from game_states import cells, start

from worldmodels.envs import GameEnv
from worldmodels.envs.native import _native

BOULDER, DIAMOND, FALLING_BOULDER, FALLING_DIAMOND, DIRT, SPACE, OUTSIDE = 1, 2, 3, 4, 9, 100, -1
ROUND = (BOULDER, DIAMOND, FALLING_BOULDER, FALLING_DIAMOND)
BOULDERS, DIAMONDS = (BOULDER, FALLING_BOULDER), (DIAMOND, FALLING_DIAMOND)
SIZES = {"easy": 10, "hard": 20, "memory": 35}
LEFT, DOWN, WAIT, UP, RIGHT = 1, 3, 4, 5, 7


class Reference:
    """One mine by the rules, as plainly as they can be said."""

    def __init__(self, env: GameEnv) -> None:
        numbers = env.fields()
        self.cells = cells(env)
        self.size = len(self.cells)
        self.x, self.y = int(numbers["miner_x"]), int(numbers["miner_y"])
        self.exit = int(numbers["exit_x"]), int(numbers["exit_y"])
        self.remaining = sum(cell in DIAMONDS for row in self.cells for cell in row)
        self.events: Counter[str] = Counter()

    def at(self, x: int, y: int) -> int:
        return self.cells[y][x] if 0 <= x < self.size and 0 <= y < self.size else OUTSIDE

    def free(self, x: int, y: int) -> bool:
        return self.at(x, y) == SPACE and (x, y) != (self.x, self.y)

    def step(self, action: int) -> tuple[float, bool]:
        """Reward and whether the episode is over."""
        dx, dy = (action // 3 - 1, action % 3 - 1) if action < 9 else (0, 0)
        if dx != 0:
            dy = 0
        blocked = self.at(self.x + dx, self.y + dy) in (OUTSIDE, *BOULDERS)
        if not blocked:
            self.x, self.y = self.x + dx, self.y + dy
        if (self.x, self.y) == self.exit and self.remaining == 0:
            self.events["exit"] += 1
            return 10.0, True
        pushes = dx != 0 and self.at(self.x + dx, self.y) == BOULDER and self.at(self.x + 2 * dx, self.y) == SPACE
        if blocked and pushes:
            self.cells[self.y][self.x + dx], self.cells[self.y][self.x + 2 * dx] = SPACE, BOULDER
            self.x += dx
            self.events["push"] += 1
        here, reward = self.at(self.x, self.y), 0.0
        if here in DIAMONDS:
            reward = 1.0
            self.events["caught" if here == FALLING_DIAMOND else "diamond"] += 1
        self.cells[self.y][self.x] = SPACE
        crushed = self.fall()
        self.remaining = sum(cell in DIAMONDS for row in self.cells for cell in row)
        return reward, crushed

    def fall(self) -> bool:
        crushed = False
        for y in range(self.size):
            for x in range(self.size):
                cell = self.at(x, y)
                if cell not in ROUND:
                    continue
                resting, falling = (BOULDER, FALLING_BOULDER) if cell in BOULDERS else (DIAMOND, FALLING_DIAMOND)
                if self.free(x, y - 1):
                    self.cells[y][x], self.cells[y - 1][x] = SPACE, falling
                    self.events["fall"] += 1
                elif (x, y - 1) == (self.x, self.y) and cell == falling:
                    crushed = True
                    self.events["crush"] += 1
                elif self.at(x, y - 1) in ROUND and self.free(x - 1, y) and self.free(x - 1, y - 1):
                    self.cells[y][x], self.cells[y][x - 1] = SPACE, resting
                    self.events["roll left"] += 1
                elif self.at(x, y - 1) in ROUND and self.free(x + 1, y) and self.free(x + 1, y - 1):
                    self.cells[y][x], self.cells[y][x + 1] = SPACE, resting
                    self.events["roll right"] += 1
                else:
                    self.cells[y][x] = resting
        return crushed


def play(mode: str, level: int, steps: int) -> Counter[str]:
    """Plays a level at random, comparing every step; returns what happened."""
    env = start("miner", level, mode)
    reference = Reference(env)
    random = np.random.default_rng(level)
    action = WAIT
    for step in range(steps):
        if random.random() < 0.5:
            action = int(random.integers(15))
        expected = reference.step(action)
        _, reward, terminated, _, info = env.step(action)
        assert (reward, terminated) == expected, (level, step)
        assert info["prev_level_complete"] == (reward == 10)
        if terminated:
            break
        numbers = env.fields()
        assert (numbers["miner_x"], numbers["miner_y"]) == (reference.x, reference.y)
        assert numbers["diamonds"] == reference.remaining
        assert cells(env) == reference.cells, (level, step)
    return reference.events


def test_every_step_goes_by_the_rules() -> None:
    events: Counter[str] = Counter()
    for level in range(60):
        events += play("easy", level, 300)
    for level in range(6):
        events += play("hard", level, 150)
    assert {"push", "diamond", "fall", "crush", "roll left", "roll right"} <= set(events)


def test_a_falling_diamond_is_collected() -> None:
    """In each of these levels the play above walks into one."""
    assert all(play("easy", level, 400)["caught"] for level in (76, 86, 106, 107))


@pytest.mark.parametrize(
    ("mode", "diamonds", "boulders", "tolerance"),
    [("easy", 3, 18.6, 0.4), ("hard", 12, 78.5, 0.5), ("memory", 36, 243.5, 0.6)],
)
def test_levels(mode: str, diamonds: int, boulders: float, tolerance: float) -> None:
    counts = []
    for level in range(150 if mode == "easy" else 60):
        env = start("miner", level, mode)
        numbers, grid = env.fields(), cells(env)
        assert len(grid) == len(grid[0]) == SIZES[mode]
        miner, exit_ = (int(numbers["miner_x"]), int(numbers["miner_y"])), (numbers["exit_x"], numbers["exit_y"])
        assert miner != exit_
        assert grid[miner[1]][miner[0]] == grid[int(exit_[1])][int(exit_[0])] == SPACE
        around = [
            grid[y][x]
            for x in range(miner[0] - 1, miner[0] + 2)
            for y in range(miner[1] - 1, miner[1] + 2)
            if 0 <= x < len(grid) and 0 <= y < len(grid)
        ]
        assert BOULDER not in around
        kinds = Counter(cell for row in grid for cell in row)
        assert set(kinds) == {BOULDER, DIAMOND, DIRT, SPACE}
        assert kinds[SPACE] == 2
        assert kinds[DIAMOND] == numbers["diamonds"] == diamonds
        counts.append(kinds[BOULDER])
    assert np.mean(counts) == pytest.approx(boulders, abs=tolerance)


def test_nothing_is_won_without_the_diamonds() -> None:
    """An exit beside the start pays nothing while there are diamonds."""
    beside = 0
    for level in range(400):
        env = start("miner", level)
        numbers = env.fields()
        way = numbers["exit_x"] - numbers["miner_x"], numbers["exit_y"] - numbers["miner_y"]
        action = {(1, 0): RIGHT, (-1, 0): LEFT, (0, 1): UP, (0, -1): DOWN}.get(way)
        if action is None:
            continue
        beside += 1
        _, reward, terminated, _, _ = env.step(action)
        assert (reward, terminated) == (0, False)
    assert beside > 3


@pytest.mark.parametrize(("mode", "count"), [("easy", 3000), ("hard", 150), ("memory", 15)])
def test_levels_can_be_solved(mode: str, count: int) -> None:
    steps, solvable, ends_at_once = _native.certify("miner", mode, 5000, count, 1)
    assert solvable.all() and not ends_at_once.any()
    assert steps.min() > 0 and steps.max() < 1000


@pytest.mark.parametrize("mode", ["easy", "hard", "memory"])
def test_the_kept_picture_is_the_one_drawn_anew(mode: str) -> None:
    env, fresh = start("miner", 3, mode), GameEnv("miner", distribution_mode=mode)
    random = np.random.default_rng(0)
    for _ in range(120):
        seen, _, terminated, _, _ = env.step(int(random.integers(9)))
        fresh.set_state(env.get_state())
        assert np.array_equal(seen, fresh.observe())
        if terminated:
            break
