from __future__ import annotations

import math
import re
from dataclasses import replace

import numpy as np
import pytest

from worldmodels.core.errors import ConfigError
from worldmodels.envs import make_vec
from worldmodels.envs.config import EnvConfig
from worldmodels.envs.games.levels import has_test_levels, level_words, mode_of, on_levels, returns_within
from worldmodels.envs.games.table import GAME_INFO, GAMES

TWENTY = EnvConfig(game="maze", num_envs=32, num_levels=20, start_level=100)


def seeds_played(config: EnvConfig) -> set[int]:
    env = make_vec(config, seed=1)
    _, info = env.reset()
    seeds = [info["level_seed"]]
    for _ in range(600):
        seeds.append(env.step(np.full(config.num_envs, 7, np.int32))[4]["level_seed"])
    return set(np.concatenate(seeds).tolist())


def test_training_and_test_levels_never_overlap() -> None:
    assert on_levels(TWENTY, "train") is TWENTY
    train, test = (seeds_played(on_levels(TWENTY, levels)) for levels in ("train", "test"))
    assert len(train) > 10 and train <= set(range(100, 120))
    assert len(test) > 30 and min(test) >= 120


def test_unseen_levels_are_test_levels_without_the_layouts_of_training() -> None:
    unseen = on_levels(EnvConfig(num_levels=200), "unseen")
    assert unseen == EnvConfig(start_level=200, skip_layouts=200)
    assert on_levels(TWENTY, "unseen") == replace(TWENTY, start_level=120, num_levels=0, skip_layouts=20)
    for config, text in (
        (EnvConfig(), "There are no test levels"),
        (
            EnvConfig(num_levels=200_000),
            "found by the layout of every training level, at most 100,000. Received env",
        ),
        (EnvConfig(num_levels=5, use_sequential_levels=True), "one of the two must be off"),
    ):
        with pytest.raises(ConfigError, match=text):
            on_levels(config, "unseen")
    with pytest.raises(ConfigError, match="unseen levels are chosen by their layouts: leave out the number of levels"):
        on_levels(TWENTY, "unseen", 5)


def test_levels_are_named() -> None:
    assert level_words(TWENTY, "unseen") == "levels of unseen layouts from 120 on"
    assert level_words(TWENTY, "train") == "training levels 100 to 119"
    assert level_words(TWENTY, "test") == "test levels from 120 on"
    assert level_words(EnvConfig(), "train") == "all levels"
    assert level_words(EnvConfig(distribution_mode="exploration"), "train") == "the level of exploration"
    assert level_words(EnvConfig(game="CartPole-v1"), "train") == "episodes of any seed"
    assert (mode_of(EnvConfig()), mode_of(EnvConfig(game="CartPole-v1"))) == ("easy", None)


def test_the_span_of_returns_follows_from_the_rewards() -> None:
    spans = {name: returns_within(EnvConfig(game=name)) for name in GAMES}
    prizes = {name: re.findall(r"[+-][\d.]+", info.rewards) for name, info in GAME_INFO.items()}
    assert spans == {
        name: (0 if min(map(float, found)) > 0 else -math.inf, 10 if found == ["+10"] else math.inf)
        for name, found in prizes.items()
    }
    assert spans["coinrun"] == (0, 10) and spans["fruitbot"] == (-math.inf, math.inf)
    assert returns_within(EnvConfig(game="coinrun,starpilot")) == (0, math.inf)
    assert returns_within(EnvConfig(game="worldmodels/Maze-v0")) == (0, 10)
    assert returns_within(EnvConfig(use_sequential_levels=True)) == (0, math.inf)
    assert returns_within(EnvConfig(game="CartPole-v1")) == (-math.inf, math.inf)


@pytest.mark.parametrize(
    "config",
    [EnvConfig(), EnvConfig(num_levels=1, distribution_mode="exploration"), EnvConfig(game="ALE/Pong-v5")],
)
def test_where_all_levels_are_trained_on_there_are_none_to_test(config: EnvConfig) -> None:
    assert not has_test_levels(config)
    with pytest.raises(ConfigError, match=r"There are no test levels: .* Received env.game=.*, env.num_levels=\d"):
        on_levels(config, "test")


def test_the_first_levels_of_a_set() -> None:
    assert on_levels(TWENTY, "train", 5) == replace(TWENTY, num_levels=5)
    assert on_levels(TWENTY, "test", 5) == replace(TWENTY, start_level=120, num_levels=5)
    assert on_levels(replace(TWENTY, num_levels=0), "train", 5).num_levels == 5
    with pytest.raises(ConfigError, match="The run has 20 training levels: so many, or fewer, can be played. Received"):
        on_levels(TWENTY, "train", 21)
