"""A foreign learner in a learned world: Stable-Baselines3's PPO trains on nothing but what a world model imagines.

    pip install torch stable-baselines3
    python benchmarks/sb3_in_imagination.py RUN [--steps 40000] [--envs 16] [--horizon 50] [--temperature 1]

RUN is the folder of a run that has a world model. Prints the mean return before and after training, inside the model
(episodes of `horizon` steps from recorded moments) and in the run's real game, whose frames the learner never saw while
it trained. Stable-Baselines3 has its own idea of a vector environment; `Worlds` translates Gymnasium's.
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path
from typing import Any

import numpy as np
from stable_baselines3 import PPO
from stable_baselines3.common.evaluation import evaluate_policy
from stable_baselines3.common.vec_env import VecEnv

import worldmodels
from worldmodels.core.config import load_config
from worldmodels.core.run_dir import RunDir
from worldmodels.envs import GameVectorEnv
from worldmodels.envs.config import game_options
from worldmodels.runtime.config import RunConfig

SAME_STEP = "SameStep"


class Worlds(VecEnv):
    """Any Gymnasium vector environment in SAME_STEP mode, as Stable-Baselines3 wants it."""

    def __init__(self, env: Any, seed: int):
        super().__init__(env.num_envs, env.single_observation_space, env.single_action_space)
        self._env, self._seed = env, seed

    def reset(self) -> np.ndarray:
        observation, _ = self._env.reset(seed=self._seed)
        return observation

    def step_async(self, actions: np.ndarray) -> None:
        self._actions = actions

    def step_wait(self) -> tuple[np.ndarray, np.ndarray, np.ndarray, list[dict[str, Any]]]:
        observation, reward, terminated, truncated, info = self._env.step(self._actions)
        infos: list[dict[str, Any]] = [{} for _ in range(self.num_envs)]
        for i in np.flatnonzero(terminated | truncated):
            infos[i] = {"terminal_observation": info["final_obs"][i], "TimeLimit.truncated": bool(truncated[i])}
        return observation, reward, terminated | truncated, infos

    def close(self) -> None:
        self._env.close()

    def env_is_wrapped(self, wrapper_class: Any, indices: Any = None) -> list[bool]:
        return [False] * self.num_envs

    def get_attr(self, attr_name: str, indices: Any = None) -> list[Any]:
        return [getattr(self._env, attr_name)] * self.num_envs

    def set_attr(self, attr_name: str, value: Any, indices: Any = None) -> None:
        raise NotImplementedError("These worlds have no attributes to set one by one.")

    def env_method(self, method_name: str, *arguments: Any, indices: Any = None, **named: Any) -> list[Any]:
        raise NotImplementedError("These worlds have no methods to call one by one.")


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
        Worlds(worldmodels.dream(arguments.run, autoreset_mode=SAME_STEP, **how), arguments.seed + i) for i in (0, 1)
    ]
    real = Worlds(real_game(arguments.run, arguments.envs), arguments.seed)
    learner = PPO("CnnPolicy", dreams[0], n_steps=128, batch_size=256, n_epochs=3, seed=arguments.seed)

    def measure(when: str) -> None:
        for where, worlds in (("in the model", dreams[1]), ("in the game ", real)):
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
