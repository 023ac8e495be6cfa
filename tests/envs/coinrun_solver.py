"""Plays CoinRun levels by searching in the game itself: which of them can be solved?"""

from __future__ import annotations

import heapq
from itertools import count

import numpy as np

from worldmodels.envs import make_vec

MOVES = (7, 8, 4, 1, 2)  # right, right and jump, wait, left, left and jump
HOLD = 4  # steps that a move is held
LANES = 60  # a multiple of the moves: nodes are expanded LANES / 5 at a time


def solve(level_seed: int, mode: str, max_rounds: int = 400) -> int:
    """Steps of the solution found, or 0 if none was found. Explores from the rightmost states first."""
    env = make_vec("coinrun", seed=0, num_envs=LANES, start_level=level_seed, num_levels=1, distribution_mode=mode)
    env.reset()
    order = count()
    queue = [(0.0, next(order), 0, env.get_state()[0])]
    seen: set[tuple[int, ...]] = set()
    for _ in range(max_rounds):
        nodes = [heapq.heappop(queue) for _ in range(min(len(queue), LANES // len(MOVES)))]
        if not nodes:
            return 0
        lanes = (nodes * LANES)[: LANES // len(MOVES)]
        env.set_state([node[3] for node in lanes for _ in MOVES])
        alive = np.arange(LANES) < len(nodes) * len(MOVES)
        for step in range(HOLD):
            _, rewards, terminated, truncated, _ = env.step(np.tile(MOVES, len(lanes)))
            if (rewards * alive).any():
                lane = int(np.argmax(rewards * alive))
                return int(lanes[lane // len(MOVES)][2] + step + 1)
            alive &= ~(terminated | truncated)
        for lane in np.flatnonzero(alive):
            key, x = _place(env, int(lane))
            if key not in seen:
                seen.add(key)
                steps = lanes[lane // len(MOVES)][2] + HOLD
                heapq.heappush(queue, (-x, next(order), steps, env._batch._native.get_state(int(lane))))
    return 0


def _place(env, lane: int) -> tuple[tuple[int, ...], float]:
    numbers = env._batch.variables(lane)
    agent = [numbers[f"entities/0/{name}"] for name in ("x", "y", "vx", "vy")]
    # Walkers make time matter: states at the same place are told apart by where the clock stands.
    key = [int(round(value * scale)) for value, scale in zip(agent, (2, 2, 4, 2), strict=True)]
    return (*key, int(numbers["clock"]) // 24), agent[0]
