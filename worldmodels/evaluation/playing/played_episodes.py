"""Plays episodes step by step, for a person who watches."""

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


def play_episodes(env: Any, actor: Any, seed: int, max_steps: int) -> Iterator[list[PlayedEpisode]]:
    """Yield an episode of each environment before the first step and after each, while the environments show that
    moment, until all are over. Those that are over early play on, but count no more.

    Args:
        env: a vector environment in NEXT_STEP mode, which is reset with the seed.
        actor: chooses an action for each; see `acting.actor`.
        max_steps: the steps after which an episode is cut.
    """
    observation, _ = env.reset(seed=seed)
    is_first, ends = np.ones(env.num_envs, bool), np.zeros(env.num_envs, bool)
    episodes = [PlayedEpisode(0.0, 0, False)] * env.num_envs
    yield episodes
    for _ in range(max_steps):
        if all(episode.ended for episode in episodes):
            return
        action = actor.act(observation, is_first).action
        observation, rewards, terminated, truncated, _ = env.step(action)
        is_first, ends = ends, terminated | truncated  # the step after an episode's last one begins the next
        episodes = [
            episode if episode.ended else PlayedEpisode(episode.total + float(reward), episode.steps + 1, bool(end))
            for episode, reward, end in zip(episodes, rewards, ends, strict=True)
        ]
        yield episodes
