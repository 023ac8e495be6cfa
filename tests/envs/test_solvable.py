"""Levels can be solved: every maze of a sample, and a sample of CoinRun levels by playing them."""

from __future__ import annotations

import heapq
from collections import deque
from itertools import count
from typing import Any

import numpy as np
import pytest

from worldmodels.envs import make_vec

MOVES = {7: (1, 0), 1: (-1, 0), 5: (0, 1), 3: (0, -1)}
SPACE = 100
ENVELOPE = 56  # bytes before the contents of a state
HELD_ACTIONS = (7, 8, 4, 1, 2)  # right, right and jump, wait, left, left and jump
HOLD = 4  # steps that a move is held
LANES = 60  # a multiple of the moves: nodes are expanded LANES / 5 at a time


def cells_of(state, width, height):
    """The cells of a maze, row by row, from the runs in its state: after them come two ints, a flag, ..."""
    # The grid is the first thing of the game's part: width, height, outside, count, then (run, value) pairs.
    marker = width.to_bytes(4, "little") + height.to_bytes(4, "little")
    start = state.index(marker, ENVELOPE) + len(marker) + 1 + 4
    cells = []
    while len(cells) < width * height:
        cells += [state[start + 1]] * state[start]
        start += 2
    return cells


def path_length(cells, width, start, goal):
    """Steps of the shortest path, None where there is none."""
    distance, queue = {start: 0}, deque([start])
    while queue:
        x, y = place = queue.popleft()
        if place == goal:
            return distance[place]
        for dx, dy in MOVES.values():
            near = (x + dx, y + dy)
            inside = 0 <= near[0] < width and 0 <= near[1] < width
            if inside and near not in distance and cells[near[1] * width + near[0]] == SPACE:
                distance[near] = distance[place] + 1
                queue.append(near)
    return None


@pytest.mark.parametrize("mode", ["easy", "hard", "memory"])
def test_cheese_can_be_reached(mode):
    env = make_vec("maze", seed=0, num_envs=400, distribution_mode=mode)
    env.reset()
    lengths = []
    for index, state in enumerate(env.get_state()):
        numbers = env._batch.fields(index)
        width = int(numbers["grid/width"])
        start, goal = ((int(numbers[f"{who}_x"]), int(numbers[f"{who}_y"])) for who in ("mouse", "cheese"))
        lengths.append(path_length(cells_of(state, width, width), width, start, goal))
    assert None not in lengths and min(lengths) > 0
    assert max(lengths) < 500, "within the time limit"


def solve(level_seed: int, mode: str, max_rounds: int = 400) -> int:
    """Steps of the solution found, or 0 if none was found. Explores from the rightmost states first."""
    env: Any = make_vec("coinrun", seed=0, num_envs=LANES, start_level=level_seed, num_levels=1, distribution_mode=mode)
    env.reset()
    order = count()
    queue = [(0.0, next(order), 0, env.get_state()[0])]
    seen: set[tuple[int, ...]] = set()
    for _ in range(max_rounds):
        nodes = [heapq.heappop(queue) for _ in range(min(len(queue), LANES // len(HELD_ACTIONS)))]
        if not nodes:
            return 0
        lanes = (nodes * LANES)[: LANES // len(HELD_ACTIONS)]
        env.set_state([node[3] for node in lanes for _ in HELD_ACTIONS])
        alive = np.arange(LANES) < len(nodes) * len(HELD_ACTIONS)
        for step in range(HOLD):
            _, rewards, terminated, truncated, _ = env.step(np.tile(HELD_ACTIONS, len(lanes)))
            if (rewards * alive).any():
                lane = int(np.argmax(rewards * alive))
                return int(lanes[lane // len(HELD_ACTIONS)][2] + step + 1)
            alive &= ~(terminated | truncated)
        for lane in map(int, np.flatnonzero(alive)):
            key, x = _place(env, lane)
            if key not in seen:
                seen.add(key)
                steps = lanes[lane // len(HELD_ACTIONS)][2] + HOLD
                heapq.heappush(queue, (-x, next(order), steps, env._batch._native.get_state(lane)))
    return 0


def _place(env, lane: int) -> tuple[tuple[int, ...], float]:
    numbers = env._batch.fields(lane)
    agent = [numbers[f"entities/0/{name}"] for name in ("x", "y", "vx", "vy")]
    # Walkers make time matter: states at the same place are told apart by where the clock stands.
    key = [int(round(value * scale)) for value, scale in zip(agent, (2, 2, 4, 2), strict=True)]
    return (*key, int(numbers["clock"]) // 24), agent[0]


@pytest.mark.parametrize(("mode", "first"), [("easy", 0), ("hard", 1000)])
def test_coin_can_be_reached(mode, first):
    assert [seed for seed in range(first, first + 12) if not solve(seed, mode)] == []


@pytest.mark.slow
@pytest.mark.parametrize("mode", ["easy", "hard"])
def test_coin_can_be_reached_in_many_levels(mode):
    assert [seed for seed in range(2000) if not solve(seed, mode)] == []
