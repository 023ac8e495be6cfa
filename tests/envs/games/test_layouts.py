"""Levels of one layout, and the batch that plays only layouts that other levels do not have."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pytest

from worldmodels.core.errors import ConfigError, UserError
from worldmodels.envs import GameEnv, make
from worldmodels.envs.games.layouts import layout, layouts
from worldmodels.envs.games.vector_env import GameVectorEnv

KNOWN = [225, 226, 230, 235, 239, 243, 252, 254]
"""The easy levels of CoinRun from 201 to 259 whose layout is among those of the first 200."""
OPTIONS: dict[str, Any] = {"start_level": 201, "num_levels": 59, "skip_layouts": 200}


def begun(env: GameEnv, count: int, seed: int | None = None) -> list[int]:
    return [env.reset(seed=None if i else seed)[1]["level_seed"] for i in range(count)]


def test_two_levels_can_have_one_layout() -> None:
    first = layouts("coinrun", "easy", 0, 200)
    assert len(first) == 176
    assert [level for level in range(201, 260) if layout("coinrun", "easy", level) in first] == KNOWN
    assert layout("maze", "hard", 0) != layout("maze", "easy", 0)
    assert layout("coinrun", "easy", 6, debug_mode=2) != layout("coinrun", "easy", 6)


def test_levels_of_known_layouts_are_left_out_and_the_others_stay_in_their_order() -> None:
    options = {**OPTIONS, "start_level": 200, "num_levels": 60}
    plain = make("coinrun", **{**options, "skip_layouts": 0})
    assert begun(plain, 11, seed=1) == [233, 256, 255, 250, 234, 249, 248, 254, 235, 246, 235]
    assert begun(make("coinrun", **options), 9, seed=1) == [233, 256, 255, 250, 234, 249, 248, 246, 250]


@pytest.mark.parametrize("autoreset", ["NextStep", "SameStep"])
def test_a_vector_environment_shows_no_level_of_a_known_layout(autoreset: str) -> None:
    env = GameVectorEnv("coinrun", 8, autoreset_mode=autoreset, **OPTIONS)
    plain = GameVectorEnv("coinrun", 8, autoreset_mode=autoreset, **{**OPTIONS, "skip_layouts": 0})
    (observations, info), ends = env.reset(seed=3), np.zeros(8, np.bool_)
    first = plain.reset(seed=3)[1]["level_seed"]
    assert first.tolist() == [243, 245, 245, 235, 255, 255, 204, 205]
    assert info["level_seed"].tolist() == [223, 245, 245, 246, 255, 255, 204, 205]
    played, choose = {*info["level_seed"].tolist()}, np.random.default_rng(0)
    for _ in range(900):
        before = ends
        observations, _, terminated, truncated, info = env.step(choose.integers(15, size=8))
        ends = terminated | truncated
        for index in np.nonzero(before if autoreset == "NextStep" else ends)[0]:
            level = int(info["level_seed"][index])
            played.add(level)
            assert np.array_equal(observations[index], make("coinrun", start_level=level, num_levels=1).reset()[0])
    assert len(played) > 10 and played.isdisjoint(KNOWN)


def test_the_levels_after_a_saved_state_are_the_same() -> None:
    env = make("coinrun", **OPTIONS)
    begun(env, 5, seed=1)
    state, copied = env.get_state(), pickle.loads(pickle.dumps(env))
    after = begun(env, 20)
    env.set_state(state)
    assert begun(env, 20) == after and begun(copied, 20) == after
    assert set(after).isdisjoint(KNOWN)


def test_what_cannot_be_left_out_is_refused() -> None:
    with pytest.raises(UserError, match="There is no level to play: all levels from 225 to 226 of 'coinrun'"):
        make("coinrun", start_level=225, num_levels=2, skip_layouts=225)
    with pytest.raises(ConfigError, match="so it is at most start_level. Received skip_layouts=6, start_level=5"):
        make("coinrun", start_level=5, skip_layouts=6)
    with pytest.raises(ConfigError, match="continues with levels of any layout: one of the two must be off"):
        make("coinrun", start_level=5, skip_layouts=5, use_sequential_levels=True)
    with pytest.raises(UserError, match="The option 'skip_layouts' must be between 0 and 100000"):
        make("coinrun", start_level=200_000, skip_layouts=200_000)
