"""Training levels and test levels: a run that is trained on a set of levels can be tested on all others."""

from __future__ import annotations

from dataclasses import replace
from typing import Literal

from worldmodels.core.errors import ConfigError, unknown
from worldmodels.envs.config import EnvConfig
from worldmodels.envs.making import is_native

Levels = Literal["train", "test"]
LEVELS: tuple[Levels, ...] = ("train", "test")


def has_test_levels(config: EnvConfig) -> bool:
    """Return whether there are levels besides those that a run with this configuration trains on."""
    return is_native(config) and config.num_levels > 0 and config.distribution_mode != "exploration"


def on_levels(config: EnvConfig, levels: Levels, count: int = 0) -> EnvConfig:
    """Return the configuration that plays the training levels, or the test levels: all that follow after them.

    Args:
        count: the first so many of them; 0: all.

    Raises:
        ConfigError: there are no test levels, or not as many training levels.
    """
    if count:
        return _first(on_levels(config, levels), count)
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
    return replace(config, start_level=config.start_level + config.num_levels, num_levels=0)


def _first(config: EnvConfig, count: int) -> EnvConfig:
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


def level_words(config: EnvConfig, levels: Levels) -> str:
    """Name the levels of a run with this configuration: "training levels 0 to 199", "test levels from 200 on" or "all
    levels". An environment without levels has "episodes of any seed"."""
    if not is_native(config):
        return "episodes of any seed"
    if not has_test_levels(config):
        return "all levels" if config.distribution_mode != "exploration" else "the level of exploration"
    first_test = config.start_level + config.num_levels
    if levels == "test":
        return f"test levels from {first_test:,} on"
    return f"training levels {config.start_level:,} to {first_test - 1:,}"
