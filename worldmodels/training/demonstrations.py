"""What a person played, as experience that a run begins with."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from worldmodels.core.errors import ConfigError
from worldmodels.core.types import Step
from worldmodels.envs import make
from worldmodels.envs.config import EnvConfig, complete_options, game_options
from worldmodels.runtime.action_file import Played, read_played, verify

LEVELS = ("num_levels", "start_level")
"""Options that say which levels there are, and nothing about what they look like or how they play."""


def check_demonstrations(files: Sequence[str], env: EnvConfig) -> int:
    """How many moments they hold, frames that is.

    Raises:
        ActionFileError: a file is damaged, or does not agree with the game.
        ConfigError: it was played in another game, or too little for all environments.
    """
    moments = 0
    for name in files:
        played = read_played(name)
        _check_same_game(name, played, env)
        verify(played, name)
        moments += played.steps + len(played.episodes)
    if files and moments < env.num_envs:
        raise ConfigError(
            f"training.demonstrations hold {moments} frames; they are dealt out to env.num_envs = {env.num_envs} "
            "environments, and each must get one at least."
        )
    return moments


def demonstrated(files: Sequence[str], num_streams: int) -> Iterator[Step]:
    """Everything that was played, as steps of `num_streams` environments.

    One after the other would take as long as one person played; so it is cut into pieces of equal length, one for each
    environment. A cut is a truncation: what would have come has value, and what was before is not known. A rest of less
    than one frame for each environment is left out.
    """
    moments = [moment for name in files for moment in _moments(read_played(name))]
    length = len(moments) // num_streams
    for t in range(length):
        row = [moments[stream * length + t] for stream in range(num_streams)]
        step = Step(*map(np.stack, zip(*row, strict=True)))
        edge = np.ones(num_streams, bool)
        first, last = (edge & (t == end) for end in (0, length - 1))
        reward = np.where(first, np.float32(0), step.reward).astype(np.float32)
        yield step._replace(reward=reward, is_first=step.is_first | first, is_last=step.is_last | last)


def _moments(played: Played) -> Iterator[tuple[Any, ...]]:
    """The fields of a `Step` for each moment of one environment."""
    env = make(played.game, **played.options)
    try:
        for i, episode in enumerate(played.episodes):
            observation, _ = env.reset(seed=played.seed if i == 0 else None)
            reward, terminated, truncated = 0.0, False, False
            for step in range(len(episode.actions) + 1):
                left = step == len(episode.actions)
                action = 0 if left else episode.actions[step]
                flags = (step == 0, left or terminated or truncated, terminated)
                yield (observation, np.float32(reward), *map(np.bool_, flags), np.int32(action))
                if not left:
                    observation, reward, terminated, truncated, _ = env.step(action)
    finally:
        env.close()


def _check_same_game(name: str, played: Played, env: EnvConfig) -> None:
    if played.game not in env.games:
        raise ConfigError(
            f"training.demonstrations: '{name}' was played in '{played.game}'; this run plays {', '.join(env.games)}."
        )
    theirs, ours = complete_options(played.options), game_options(env)
    different = {key: (theirs[key], ours[key]) for key in ours if theirs[key] != ours[key] and key not in LEVELS}
    for key, (there, here) in different.items():
        raise ConfigError(f"training.demonstrations: '{name}' was played with {key} {there!r}; this run has {here!r}.")
