"""The adapter for Stable-Baselines3. Skipped where that is not installed."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest

from worldmodels.core.errors import UserError
from worldmodels.envs import GameVectorEnv

pytest.importorskip("stable_baselines3")
from worldmodels.envs.sb3 import SB3VecEnv


def test_steps_are_those_of_the_games():
    ours = SB3VecEnv(GameVectorEnv("coinrun", 4, autoreset_mode="SameStep"), seed=3)
    games = GameVectorEnv("coinrun", 4, autoreset_mode="SameStep")
    np.testing.assert_array_equal(ours.reset(), games.reset(seed=3)[0])
    random, ended = np.random.default_rng(0), 0
    for actions in random.integers(15, size=(600, 4)):
        observation, reward, terminated, truncated, info = games.step(actions)
        shown, rewards, ends, infos = ours.step(actions)
        np.testing.assert_array_equal(shown, observation)
        np.testing.assert_array_equal(rewards, reward)
        np.testing.assert_array_equal(ends, terminated | truncated)
        for i in np.flatnonzero(ends):
            ended += 1
            np.testing.assert_array_equal(infos[i]["terminal_observation"], info["final_obs"][i])
            assert infos[i]["TimeLimit.truncated"] == truncated[i]
    assert ended


def test_a_seed_holds_for_one_reset():
    env = SB3VecEnv(GameVectorEnv("coinrun", 2, autoreset_mode="SameStep"), seed=3)
    first, second = env.reset(), env.reset()
    env.seed(3)
    assert not np.array_equal(first, second) and np.array_equal(first, env.reset())


def test_other_modes_are_refused():
    with pytest.raises(UserError, match="autoreset_mode='SameStep'. Received AutoresetMode.NEXT_STEP"):
        SB3VecEnv(GameVectorEnv("coinrun", 2))


LEARN = """
import sys
sys.modules["tensorflow"] = None  # Stable-Baselines3 loads it for its logs, and PyTorch may crash beside it
from stable_baselines3 import PPO
from worldmodels.envs import GameVectorEnv
from worldmodels.envs.sb3 import SB3VecEnv

env = SB3VecEnv(GameVectorEnv("coinrun", 4, autoreset_mode="SameStep", render_mode="rgb_array"), seed=0)
learner = PPO("CnnPolicy", env, n_steps=8, batch_size=16, n_epochs=1, seed=0)
learner.learn(64)
print(learner.num_timesteps, env.get_images()[0].shape, env.get_attr("num_envs", [1]))
"""


def test_ppo_learns_in_it():
    done = subprocess.run([sys.executable, "-c", LEARN], capture_output=True, text=True, check=False)
    assert done.stdout.split("\n")[-2] == "64 (512, 512, 3) [4]", done.stderr
