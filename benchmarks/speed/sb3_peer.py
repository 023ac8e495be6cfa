"""Runs an iteration of Stable-Baselines3's PPO for each line that arrives, and prints a line of JSON for each.

    python benchmarks/speed/sb3_peer.py GAME NETWORK ENVIRONMENTS STEPS PASSES MINIBATCH

Runs in a virtual environment that holds Stable-Baselines3 and this project, or with Atari's games ale-py and OpenCV.
"""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path

import torch
from stable_baselines3 import PPO
from stable_baselines3.common.env_util import make_atari_env
from stable_baselines3.common.torch_layers import BaseFeaturesExtractor, NatureCNN
from stable_baselines3.common.vec_env import VecEnv, VecEnvWrapper, VecFrameStack

sys.path.insert(0, str(Path(__file__).parents[1]))


class Timed(VecEnvWrapper):
    """Notes how long the game's own steps take."""

    seconds = 0.0

    def reset(self):
        return self.venv.reset()

    def step_wait(self):
        start = time.perf_counter()
        result = self.venv.step_wait()
        self.seconds += time.perf_counter() - start
        return result


class ResidualBlock(torch.nn.Module):
    """Two convolutions, added to what they read."""

    def __init__(self, channels: int):
        super().__init__()
        layers = [
            layer
            for _ in range(2)
            for layer in (torch.nn.ReLU(), torch.nn.Conv2d(channels, channels, 3, padding="same"))
        ]
        self.layers = torch.nn.Sequential(*layers)

    def forward(self, x):
        return x + self.layers(x)


class Impala(BaseFeaturesExtractor):
    """IMPALA's stages, which Stable-Baselines3 does not have: 16, 32 and 32 channels, and a dense layer of 256."""

    def __init__(self, observation_space):
        super().__init__(observation_space, features_dim=256)
        channels, height, width = observation_space.shape
        layers = []
        for units in (16, 32, 32):
            layers += [torch.nn.Conv2d(channels, units, 3, padding="same"), torch.nn.MaxPool2d(3, 2, padding=1)]
            layers += [ResidualBlock(units), ResidualBlock(units)]
            channels, height, width = units, -(-height // 2), -(-width // 2)
        flat = channels * height * width
        self.network = torch.nn.Sequential(
            *layers, torch.nn.ReLU(), torch.nn.Flatten(), torch.nn.Linear(flat, 256), torch.nn.ReLU()
        )

    def forward(self, observations):
        return self.network(observations)


NETWORKS = {"nature": NatureCNN, "impala": Impala}


def make(game: str, envs: int) -> VecEnv:
    """Return environments of a native game, or of an Atari game in the wrappers that Stable-Baselines3 has for it."""
    if game.startswith("ALE/"):
        import ale_py
        import gymnasium

        gymnasium.register_envs(ale_py)
        options = {"frameskip": 1, "repeat_action_probability": 0.0}
        return VecFrameStack(make_atari_env(game, n_envs=envs, seed=0, env_kwargs=options), 4)
    from worldmodels.envs import GameVectorEnv
    from worldmodels.envs.sb3 import SB3VecEnv

    return SB3VecEnv(GameVectorEnv(game, envs, autoreset_mode="SameStep"), seed=0)


def main() -> None:
    (game, network), (envs, steps, passes, minibatch) = sys.argv[1:3], map(int, sys.argv[3:])
    worlds = Timed(make(game, envs))
    policy = {"features_extractor_class": NETWORKS[network]}
    learner = PPO(
        "CnnPolicy", worlds, n_steps=steps, batch_size=minibatch, n_epochs=passes, seed=0, policy_kwargs=policy
    )
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
