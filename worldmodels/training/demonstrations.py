"""What a person played, as experience that a run begins with."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from worldmodels.core.errors import ConfigError
from worldmodels.core.types import Step
from worldmodels.envs.config import EnvConfig, complete_options, game_options
from worldmodels.runtime.action_file import Played, read_played
from worldmodels.runtime.relive import PlayedMoment, relive, verify

LEVELS = ("num_levels", "start_level")
"""Options that say which levels there are, and nothing about what they look like or how they play."""


def check_demonstrations(files: Sequence[str], env: EnvConfig) -> None:
    """Whether what was played is an experience of `env`.

    Raises:
        ActionFileError: a file is damaged, or does not agree with the game.
        ConfigError: it was played in another game, or too little for all environments.
    """
    moments = 0
    for name in files:
        played = read_played(name)
        _check_same_game(name, played, env)
        verify(played, name)
        moments += played.moments
    if files and moments < env.num_envs:
        raise ConfigError(
            f"training.demonstrations hold {moments} frames; they are dealt out to env.num_envs = {env.num_envs} "
            "environments, and each must get one at least."
        )


def demonstrated(files: Sequence[str], num_streams: int) -> Iterator[Step]:
    """Everything that was played, as steps of `num_streams` environments.

    One after the other would take as long as one person played; so it is cut into pieces of equal length, one for each
    environment. A cut is a truncation: what would have come has value, and what was before is not known. A rest of less
    than one frame for each environment is left out.
    """
    moments = [_fields(moment) for name in files for moment in relive(read_played(name), name)]
    length = len(moments) // num_streams
    for t in range(length):
        row = [moments[stream * length + t] for stream in range(num_streams)]
        step = Step(*map(np.stack, zip(*row, strict=True)))
        edge = np.ones(num_streams, bool)
        first, last = (edge & (t == end) for end in (0, length - 1))
        reward = np.where(first, np.float32(0), step.reward).astype(np.float32)
        yield step._replace(reward=reward, is_first=step.is_first | first, is_last=step.is_last | last)


def _fields(moment: PlayedMoment) -> tuple[Any, ...]:
    """Those of a `Step` of one environment."""
    left = moment.action is None
    flags = (moment.step == 0, left or moment.terminated or moment.truncated, moment.terminated)
    action = 0 if moment.action is None else moment.action
    return moment.observation, np.float32(moment.reward), *map(np.bool_, flags), np.int32(action)


def _check_same_game(name: str, played: Played, env: EnvConfig) -> None:
    if played.game not in env.games:
        raise ConfigError(
            f"training.demonstrations: '{name}' was played in '{played.game}'; this run plays {', '.join(env.games)}."
        )
    theirs, ours = complete_options(played.options), game_options(env)
    different = {key: (theirs[key], ours[key]) for key in ours if theirs[key] != ours[key] and key not in LEVELS}
    for key, (there, here) in different.items():
        raise ConfigError(f"training.demonstrations: '{name}' was played with {key} {there!r}; this run has {here!r}.")
