"""Trains and measures a method of Stable-Baselines3, the other side. Needs nothing of this project.

    python stable_baselines.py SETTINGS.json RESULT.json

Its Python is that of an environment with stable-baselines3, sb3-contrib and gymnasium's extras. One thread, as ours.
"""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import sb3_contrib
import stable_baselines3
import torch
from stable_baselines3.common.callbacks import BaseCallback
from stable_baselines3.common.monitor import Monitor
from stable_baselines3.common.noise import NormalActionNoise
from stable_baselines3.common.vec_env import DummyVecEnv

MEMORY = 20
"""Episodes of training whose mean return is one point of the curve."""


class Curve(BaseCallback):
    """Notes the mean return of the last episodes, and the time, every so many steps."""

    def __init__(self, every: int):
        super().__init__()
        self._every, self._started = every, 0.0
        self.points: list[list[float | None]] = []

    def _on_training_start(self) -> None:
        self._started = time.perf_counter()

    def _on_step(self) -> bool:
        if self.num_timesteps % self._every == 0:
            last = [episode["r"] for episode in self.model.ep_info_buffer][-MEMORY:]
            mean = float(np.mean(last)) if last else None
            self.points.append([self.num_timesteps, mean, time.perf_counter() - self._started])
        return True


def train(job: dict[str, Any]) -> dict[str, Any]:
    """Train what a job says, measure it in episodes with the job's seeds, and return the result."""
    torch.set_num_threads(1)

    def make() -> Any:
        return Monitor(gymnasium.make(job["env"], **job["options"]))

    curve = Curve(max(1, job["steps"] // 50))
    started = time.perf_counter()
    learner = _learner(job, DummyVecEnv([make] * job["num_envs"]))
    learner.learn(job["steps"], callback=curve)
    seconds = time.perf_counter() - started
    test = make()
    return {
        "returns": [_play(learner, test, seed) for seed in job["episodes"]],
        "curve": curve.points,
        "seconds": seconds,
        "versions": {module.__name__: module.__version__ for module in (stable_baselines3, sb3_contrib, torch)},
    }


def _play(learner: Any, env: Any, seed: int) -> float:
    """Return the return of an episode with the most probable actions."""
    (observation, _), total, over = env.reset(seed=seed), 0.0, False
    while not over:
        action, _ = learner.predict(observation, deterministic=True)
        observation, reward, terminated, truncated, _ = env.step(action)
        total, over = total + float(reward), terminated or truncated
    return total


def _learner(job: dict[str, Any], env: Any) -> Any:
    settings = dict(job["settings"])
    network = {"net_arch": settings.pop("net_arch"), "activation_fn": _activation(settings.pop("activation"))}
    if noise := settings.pop("noise", None):
        size = env.action_space.shape
        # In units of the environment, where ours is in units of the box from -1 to 1.
        scale = (env.action_space.high - env.action_space.low) / 2
        settings["action_noise"] = NormalActionNoise(np.zeros(size), noise * scale)
    home = sb3_contrib if job["class"] in ("TRPO",) else stable_baselines3
    return getattr(home, job["class"])(
        "MlpPolicy", env, policy_kwargs=network, seed=job["seed"], device="cpu", **settings
    )


def _activation(name: str) -> Any:
    return {"tanh": torch.nn.Tanh, "relu": torch.nn.ReLU}[name]


if __name__ == "__main__":
    found = train(json.loads(Path(sys.argv[1]).read_text()))
    Path(sys.argv[2]).write_text(json.dumps(found, allow_nan=False) + "\n")
