"""The adapter for Stable-Baselines3. Skipped where that is not installed."""

from __future__ import annotations

import numpy as np
import pytest

from worldmodels.core.errors import UserError
from worldmodels.envs import GameVectorEnv

pytest.importorskip("stable_baselines3")
from worldmodels.envs.sb3 import SB3VecEnv


def played(env, steps):
    """Rewards, ended episodes and infos of a policy that walks to the right."""
    found = [env.step(np.full(env.num_envs, 7)) for _ in range(steps)]
    return [np.stack([step[column] for step in found]) for column in (0, 1, 2)], [step[3] for step in found]


def test_steps_are_those_of_the_games():
    ours = SB3VecEnv(GameVectorEnv("coinrun", 4, autoreset_mode="SameStep"), seed=3)
    games = GameVectorEnv("coinrun", 4, autoreset_mode="SameStep")
    np.testing.assert_array_equal(ours.reset(), games.reset(seed=3)[0])
    (_, rewards, ends), infos = played(ours, 300)
    assert ends.any()
    for t in range(300):
        _, reward, terminated, truncated, info = games.step(np.full(4, 7))
        np.testing.assert_array_equal(rewards[t], reward)
        np.testing.assert_array_equal(ends[t], terminated | truncated)
        for i in np.flatnonzero(ends[t]):
            np.testing.assert_array_equal(infos[t][i]["terminal_observation"], info["final_obs"][i])
            assert infos[t][i]["TimeLimit.truncated"] == truncated[i]


def test_a_seed_holds_for_one_reset():
    env = SB3VecEnv(GameVectorEnv("coinrun", 2, autoreset_mode="SameStep"), seed=3)
    first, second = env.reset(), env.reset()
    env.seed(3)
    assert not np.array_equal(first, second) and np.array_equal(first, env.reset())


def test_other_modes_are_refused():
    with pytest.raises(UserError, match="autoreset_mode='SameStep'. Received AutoresetMode.NEXT_STEP"):
        SB3VecEnv(GameVectorEnv("coinrun", 2))


def test_ppo_learns_in_it():
    from stable_baselines3 import PPO

    env = SB3VecEnv(GameVectorEnv("coinrun", 4, autoreset_mode="SameStep", render_mode="rgb_array"), seed=0)
    learner = PPO("CnnPolicy", env, n_steps=8, batch_size=16, n_epochs=1, seed=0)
    learner.learn(64)
    assert learner.num_timesteps == 64
    assert env.get_images()[0].shape == (512, 512, 3) and env.get_attr("games", [1])[0] == env.env.games
