"""Episodes that are watched, several at once."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np

from worldmodels.evaluation.playing.episode_film import PlayedEpisode, play_episodes


class Countdown:
    """Environment i pays 1 at each step, ends with its step i + 1, and begins anew with the step after."""

    num_envs = 3

    def reset(self, seed: int) -> tuple[np.ndarray, dict[str, Any]]:
        self.steps = np.zeros(3, int)
        return self.steps, {}

    def step(self, action: np.ndarray) -> tuple[Any, ...]:
        over = self.steps == np.arange(3) + 1
        self.steps = np.where(over, 0, self.steps + 1)
        return self.steps, np.ones(3, np.float32), self.steps == np.arange(3) + 1, np.zeros(3, bool), {}


class Watcher:
    def __init__(self) -> None:
        self.first: list[list[bool]] = []

    def act(self, observation: np.ndarray, is_first: np.ndarray) -> SimpleNamespace:
        self.first.append(is_first.tolist())
        assert (is_first == (observation == 0)).all()
        return SimpleNamespace(action=np.zeros(3, int))


def test_each_environment_plays_one_episode() -> None:
    watcher = Watcher()
    moments = list(play_episodes(Countdown(), watcher, 0, 10))
    assert [[episode.steps for episode in moment] for moment in moments] == [[0, 0, 0], [1, 1, 1], [1, 2, 2], [1, 2, 3]]
    assert moments[-1] == [PlayedEpisode(1.0, 1, True), PlayedEpisode(2.0, 2, True), PlayedEpisode(3.0, 3, True)]
    assert watcher.first == [[True, True, True], [False, False, False], [True, False, False]]


def test_what_goes_on_is_cut() -> None:
    *_, last = play_episodes(Countdown(), Watcher(), 0, 2)
    assert [episode.ended for episode in last] == [True, True, False]
