"""Trains Stable-Baselines3's PPO in our games, made by their ids, without any code of this project between.

    pip install stable-baselines3
    python benchmarks/sb3_client.py [--game CoinRun] [--steps 20000] [--levels 1] [--mode easy]

Prints the mean return over the same levels before and after training. A handful of levels is learned in minutes on two
cores; it shows that the games can be learned from, and that wrappers, seeds and truncations mean what others expect.
"""

from __future__ import annotations

import argparse
import time

from stable_baselines3 import PPO
from stable_baselines3.common.env_util import make_vec_env
from stable_baselines3.common.evaluation import evaluate_policy

import worldmodels  # noqa: F401  (importing it registers the games)

NUM_ENVS = 8


def main() -> None:
    """Measures, trains, measures again."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--game", default="CoinRun", help="the title in the Gymnasium id (default: %(default)s)")
    parser.add_argument("--steps", type=int, default=20_000, help="of training (default: %(default)s)")
    parser.add_argument("--levels", type=int, default=1, help="to train and measure on (default: %(default)s)")
    parser.add_argument("--mode", default="easy", help="distribution mode (default: %(default)s)")
    parser.add_argument("--episodes", type=int, default=32, help="of each measurement (default: %(default)s)")
    parser.add_argument("--seed", type=int, default=0)
    arguments = parser.parse_args()

    options = {"num_levels": arguments.levels, "distribution_mode": arguments.mode}
    envs, others = (
        make_vec_env(f"worldmodels/{arguments.game}-v0", NUM_ENVS, seed=arguments.seed + first, env_kwargs=options)
        for first in (0, NUM_ENVS)
    )
    learner = PPO("CnnPolicy", envs, n_steps=128, batch_size=256, n_epochs=3, seed=arguments.seed)

    def measure(when: str) -> None:
        mean, spread = evaluate_policy(learner, others, arguments.episodes, deterministic=False)
        print(f"{when}: return {mean:.2f}, standard deviation {spread:.2f}, {arguments.episodes} episodes", flush=True)

    measure("before training")
    start = time.perf_counter()
    learner.learn(arguments.steps)
    seconds = time.perf_counter() - start
    print(f"{learner.num_timesteps:,} steps of training in {seconds:.0f} s")
    measure("after training ")


if __name__ == "__main__":
    main()
