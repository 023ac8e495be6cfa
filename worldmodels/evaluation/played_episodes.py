"""Episodes that somebody watches step by step."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np


class PlayedEpisode(NamedTuple):
    """An episode, as far as it was played."""

    total: float
    """The sum of its rewards."""
    steps: int
    """The environment steps that it took."""
    ended: bool
    """Whether it ended by itself, or by the environment's own time limit."""


def play_episode(env: Any, actor: Any, seed: int, max_steps: int) -> Iterator[PlayedEpisode]:
    """Yield an episode before its first step and after each, while the environment shows that moment.

    Args:
        env: a vector environment with one environment in it, which is reset with the seed.
        actor: chooses one action; see `runtime.actor`.
        max_steps: the steps after which the episode is cut.
    """
    observation, _ = env.reset(seed=seed)
    is_first, episode = np.ones(1, bool), PlayedEpisode(0.0, 0, False)
    yield episode
    while not episode.ended and episode.steps < max_steps:
        action = actor.act(observation, is_first).action
        observation, reward, terminated, truncated, _ = env.step(action)
        is_first = np.zeros(1, bool)
        ended = bool(terminated[0] or truncated[0])
        episode = PlayedEpisode(episode.total + float(reward[0]), episode.steps + 1, ended)
        yield episode
