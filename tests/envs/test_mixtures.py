"""Several games in one vector environment."""

from __future__ import annotations

import copy

import numpy as np
import pytest

from worldmodels.core.errors import UserError
from worldmodels.envs import EnvConfig, GameVectorEnv, make_vec

SEED = 4


def play(env, steps=150):
    """What each step returns. Environment i takes the same actions in every environment."""
    env.reset(seed=SEED)
    actions = np.stack([np.random.default_rng(index).integers(0, 15, steps) for index in range(env.num_envs)], 1)
    for row in actions:
        *results, info = env.step(row)
        yield (*results, info["level"]["seed"], info["level"]["solution"], info["prev_level_complete"])


@pytest.mark.parametrize("threads", [1, 3])
def test_each_environment_plays_as_it_would_alone(threads):
    mixed = play(GameVectorEnv("coinrun,maze,starpilot", 6, threads))
    alone = [play(GameVectorEnv(name, 6)) for name in ("coinrun", "maze", "starpilot")]
    for together, *single in zip(mixed, *alone, strict=True):
        for index in range(6):
            for one, other in zip(together, single[index % 3], strict=True):
                assert np.array_equal(one[index], other[index])


def test_all_ways_to_ask_give_the_same():
    asked = [
        make_vec("coinrun,maze", seed=SEED, num_envs=4),
        make_vec(EnvConfig("worldmodels/CoinRun-v0, maze", num_envs=4), seed=SEED),
        GameVectorEnv("coinrun,maze", 4),
    ]
    frames = [env.reset(seed=SEED)[0] for env in asked]
    assert all(np.array_equal(frame, frames[0]) for frame in frames)
    assert [[info.name for info in env.games] for env in asked] == [["coinrun", "maze"] * 2] * 3


def test_states_and_copies_of_a_mixture():
    env = GameVectorEnv("coinrun,maze", 4, distribution_mode="hard")
    env.reset(seed=SEED)
    env.step([7, 7, 7, 7])
    assert copy.deepcopy(env).get_state() == env.get_state()
    coinrun, maze, *others = env.get_state()
    with pytest.raises(UserError, match=r"Environment 0: .* of maze \(hard\)"):
        env.set_state([maze, coinrun, *others])


@pytest.mark.parametrize(
    ("call", "text"),
    [
        (lambda: make_vec("coinrun,maze", num_envs=3), "multiple of its 2 games (coinrun, maze); received 3"),
        (lambda: GameVectorEnv("coinrun,maze"), "received 1"),
        (lambda: make_vec("coinrun,mase", num_envs=2), "Did you mean 'maze'?"),
        (lambda: make_vec("coinrun,", num_envs=2), "Unknown game ''"),
        (
            lambda: make_vec("coinrun,maze", num_envs=2, distribution_mode="memory"),
            "Unknown coinrun distribution mode 'memory'",
        ),
    ],
)
def test_mistakes_are_answered(call, text):
    with pytest.raises(UserError) as error:
        call()
    assert text in str(error.value)
