"""Stable-Baselines3's PPO beside ours: one iteration for each line that arrives, one line of JSON for each iteration.

    python benchmarks/speed/sb3_peer.py GAME ENVIRONMENTS STEPS PASSES MINIBATCH

Runs in a virtual environment that holds Stable-Baselines3 and this project.
"""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path

from stable_baselines3 import PPO

sys.path.insert(0, str(Path(__file__).parents[1]))
from sb3_worlds import SAME_STEP, Worlds  # noqa: E402

from worldmodels.envs import GameVectorEnv  # noqa: E402


class TimedWorlds(Worlds):
    """Notes how long the game's own steps take."""

    seconds = 0.0

    def step_wait(self):
        start = time.perf_counter()
        result = super().step_wait()
        self.seconds += time.perf_counter() - start
        return result


def main() -> None:
    game, (envs, steps, passes, minibatch) = sys.argv[1], map(int, sys.argv[2:])
    worlds = TimedWorlds(GameVectorEnv(game, envs, autoreset_mode=SAME_STEP), seed=0)
    learner = PPO("CnnPolicy", worlds, n_steps=steps, batch_size=minibatch, n_epochs=passes, seed=0)
    for _ in sys.stdin:
        wall, processor, game_before = time.perf_counter(), time.process_time(), worlds.seconds
        learner.learn(envs * steps, reset_num_timesteps=False)
        row = {
            "wall": time.perf_counter() - wall,
            "processor": time.process_time() - processor,
            "game": worlds.seconds - game_before,
        }
        print(json.dumps(row), flush=True)


if __name__ == "__main__":
    main()
