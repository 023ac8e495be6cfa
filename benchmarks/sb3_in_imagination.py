"""Trains Stable-Baselines3's PPO in the imagination of a learned world model only.

    pip install torch stable-baselines3
    python benchmarks/sb3_in_imagination.py RUN [--steps 40000] [--envs 16] [--horizon 50] [--temperature 1]

RUN is the folder of a run that has a world model. Prints the mean return before and after training, inside the model
(episodes of `horizon` steps from recorded moments) and in the run's real game, whose frames the learner never saw while
it trained.
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path

from stable_baselines3 import PPO
from stable_baselines3.common.evaluation import evaluate_policy

import worldmodels
from worldmodels.config.run_config import RunConfig
from worldmodels.core.configuration.sections import load_config
from worldmodels.core.files.run_dir import RunDir
from worldmodels.envs import GameVectorEnv
from worldmodels.envs.config import game_options
from worldmodels.envs.sb3 import SB3VecEnv

SAME_STEP = "SameStep"


def real_game(run: Path, num_envs: int) -> GameVectorEnv:
    config = load_config(RunConfig, [RunDir.open(run).config]).env
    return GameVectorEnv(config.game, num_envs, autoreset_mode=SAME_STEP, **game_options(config))


def main() -> None:
    """Measures, trains in imagination, measures again."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("run", type=Path, help="the folder of a run with a world model")
    parser.add_argument("--steps", type=int, default=40_000, help="imagined steps of training (default: %(default)s)")
    parser.add_argument("--envs", type=int, default=16, help="episodes side by side (default: %(default)s)")
    parser.add_argument("--horizon", type=int, default=50, help="steps of an episode (default: %(default)s)")
    parser.add_argument("--temperature", type=float, default=1.0, help="of the model (default: %(default)s)")
    parser.add_argument("--episodes", type=int, default=64, help="of each measurement (default: %(default)s)")
    parser.add_argument("--seed", type=int, default=0)
    arguments = parser.parse_args()

    how = {"num_envs": arguments.envs, "horizon": arguments.horizon, "temperature": arguments.temperature}
    dreams = [
        SB3VecEnv(worldmodels.dream(arguments.run, autoreset_mode=SAME_STEP, **how), arguments.seed + i) for i in (0, 1)
    ]
    real = SB3VecEnv(real_game(arguments.run, arguments.envs), arguments.seed)
    learner = PPO("CnnPolicy", dreams[0], n_steps=128, batch_size=256, n_epochs=3, seed=arguments.seed)

    def measure(when: str) -> None:
        for where, worlds in (("in the model", dreams[1]), ("in the game ", real)):
            worlds.seed(arguments.seed)  # the same episodes before and after
            mean, spread = evaluate_policy(learner, worlds, arguments.episodes, deterministic=False, warn=False)
            error = spread / arguments.episodes**0.5
            print(f"{when}, {where}: return {mean:.2f} +- {error:.2f}, {arguments.episodes} episodes", flush=True)

    measure("before training")
    start = time.perf_counter()
    learner.learn(arguments.steps)
    seconds = time.perf_counter() - start
    print(f"{learner.num_timesteps:,} imagined steps of training in {seconds:.0f} s", flush=True)
    measure("after training ")


if __name__ == "__main__":
    main()
