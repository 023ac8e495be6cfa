"""Training levels, test levels and unseen layouts: a run that is trained on a set of levels can be tested on others."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Literal

from worldmodels.core.errors import ConfigError, unknown
from worldmodels.envs.config import MOST_SKIPPED, EnvConfig
from worldmodels.envs.games.table import ONE_PRIZE, WITH_LOSSES, find_game
from worldmodels.envs.making import is_native

Levels = Literal["train", "test", "unseen"]
LEVELS: tuple[Levels, ...] = ("train", "test", "unseen")
MEASURED: tuple[Levels, ...] = ("train", "test")
"""The sets on which a run is measured while it trains, and by `--levels both`."""


def has_test_levels(config: EnvConfig) -> bool:
    """Return whether there are levels besides those that a run with this configuration trains on."""
    return is_native(config) and config.num_levels > 0 and config.distribution_mode != "exploration"


def on_levels(config: EnvConfig, levels: Levels, count: int = 0) -> EnvConfig:
    """Return the configuration that plays the training levels, or the test levels: all that follow after them.

    Unseen levels are the test levels whose layout is none of those of the training levels.

    Args:
        count: the first so many of them; 0: all.

    Raises:
        ConfigError: there are no test levels, or not as many training levels.
    """
    if count:
        return _first(config, levels, count)
    if levels not in LEVELS:
        raise ConfigError(unknown("level set", levels, LEVELS))
    if levels == "train":
        return config
    if not has_test_levels(config):
        raise ConfigError(
            f"There are no test levels: those are the levels of a native game besides the `env.num_levels` on which a "
            f"run trains. Received env.game={config.game}, env.num_levels={config.num_levels} (0 is all of them), "
            f"env.distribution_mode={config.distribution_mode}."
        )
    test = replace(config, start_level=config.start_level + config.num_levels, num_levels=0, skip_layouts=0)
    return test if levels == "test" else replace(test, skip_layouts=_compared(config.num_levels))


def _compared(count: int) -> int:
    """Return the number of training levels. Raises ConfigError for more than can be compared."""
    if count > MOST_SKIPPED:
        raise ConfigError(
            f"Unseen levels are found by the layout of every training level, at most {MOST_SKIPPED:,}. Received "
            f"env.num_levels={count}. Test levels are the others by their seeds: --levels test."
        )
    return count


def _first(config: EnvConfig, levels: Levels, count: int) -> EnvConfig:
    if levels == "unseen":
        raise ConfigError(
            "The first levels of a set are counted by their seeds, and unseen levels are chosen by their layouts: "
            f"leave out the number of levels. Received {count}."
        )
    config = on_levels(config, levels)
    if not is_native(config):
        raise ConfigError(f"Only native games have numbered levels, and '{config.game}' is none. Received {count}.")
    if count < 0:
        raise ConfigError(f"The number of levels to play must be 0, for all of them, or more. Received {count}.")
    if 0 < config.num_levels < count:
        limit = f"The run has {config.num_levels:,} training levels"
        raise ConfigError(f"{limit}: so many, or fewer, can be played. Received {count:,}.")
    return replace(config, num_levels=count)


def mode_of(config: EnvConfig) -> str | None:
    """Return the distribution mode of a native game; environments of others have none."""
    return config.distribution_mode if is_native(config) else None


def returns_within(config: EnvConfig) -> tuple[float, float]:
    """Return the least and the greatest return of an episode, infinite where the rules of its games name none."""
    names = [find_game(name).name for name in config.games] if is_native(config) else []
    least = 0.0 if names and WITH_LOSSES.isdisjoint(names) else -math.inf
    has_most = names and ONE_PRIZE.issuperset(names) and not config.use_sequential_levels
    return least, 10.0 if has_most else math.inf


def level_words(config: EnvConfig, levels: Levels) -> str:
    """Name the levels of a run with this configuration: "training levels 0 to 199", "test levels from 200 on", "levels
    of unseen layouts from 200 on" or "all levels". An environment without levels has "episodes of any seed"."""
    if not is_native(config):
        return "episodes of any seed"
    if not has_test_levels(config):
        return "all levels" if config.distribution_mode != "exploration" else "the level of exploration"
    first_test = config.start_level + config.num_levels
    if levels == "test":
        return f"test levels from {first_test:,} on"
    if levels == "unseen":
        return f"levels of unseen layouts from {first_test:,} on"
    return f"training levels {config.start_level:,} to {first_test - 1:,}"
