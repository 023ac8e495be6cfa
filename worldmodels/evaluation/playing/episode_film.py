"""Films episodes side by side, each under its return so far, and keeps the actions that replay them.

Plays episodes step by step, for a person who watches.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from worldmodels.core.types import Step
from worldmodels.envs.config import EnvConfig, game_options
from worldmodels.evaluation.report.comparison_video import (
    BACKGROUND,
    OBSERVED,
    PREDICTED,
    TEXT,
    colours_note,
    enlarged,
    framed,
    text_line,
    tiled,
)
from worldmodels.recordings.action_recording import ActionRecording, RecordedEpisode, frame_hash, kept_hashes


class FilmFrame(NamedTuple):
    """A step of an episode, as a film shows it."""

    image: np.ndarray
    """uint8 (H, W, C)."""
    step: int
    """The number of steps before it in its episode."""
    total: float
    """The return so far."""
    ended: bool
    """Whether the episode ended with this step."""
    action: np.ndarray
    """The action chosen at this step; it means nothing at the last one."""


class EpisodeFilm:
    """A `StepObserver` that keeps what the first `count` environments show during their first episodes.

    Args:
        image: the name of the part of their observations that it shows (see `ObservationSpec`).
    """

    def __init__(self, count: int, image: str = ""):
        self._count, self._image = count, image
        self.episodes: list[list[FilmFrame]] = []

    def __call__(self, step: Step, returns: np.ndarray, playing: np.ndarray) -> None:
        if not self.episodes:
            self.episodes = [[] for _ in range(min(self._count, len(returns)))]
        images = step.observation[self._image] if self._image else step.observation
        for i, frames in enumerate(self.episodes):
            if playing[i]:
                image, total = images[i].copy(), float(returns[i])
                frames.append(FilmFrame(image, len(frames), total, bool(step.is_last[i]), step.action[i]))

    def frames(self) -> Iterator[np.ndarray]:
        """Yield frames uint8 (H', W', 3) up to the end of the longest episode; the others keep their last image."""
        columns, scale = min(4, len(self.episodes)), max(1, 192 // len(self.episodes[0][0].image))
        for t in range(max(map(len, self.episodes))):
            now = [frames[min(t, len(frames) - 1)] for frames in self.episodes]
            yield tiled([_cell(frame, t, scale) for frame in now], columns)

    def recordings(self, env: EnvConfig, level_seeds: np.ndarray) -> list[ActionRecording]:
        """Return a recording of the actions of each episode.

        The seed of a level and the actions determine a native game. So an episode is written as a game of that one
        level.

        Args:
            level_seeds: of the episodes.
        """
        games = np.resize(env.games, len(self.episodes))
        options = {**game_options(env), "num_levels": 1, "skip_layouts": 0}
        return [
            ActionRecording(str(game), {**options, "start_level": int(seed)}, 0, [_recorded(frames)])
            for game, seed, frames in zip(games, level_seeds, self.episodes, strict=False)
        ]


def _recorded(frames: Sequence[FilmFrame]) -> RecordedEpisode:
    hashes: list[str] = []
    for frame in frames:
        hashes.append(frame_hash(frame.image, hashes[-1] if hashes else ""))
    return RecordedEpisode([int(frame.action) for frame in frames[:-1]], kept_hashes(hashes))


def _cell(frame: FilmFrame, now: int, scale: int) -> np.ndarray:
    body = framed(enlarged(frame.image, scale), 2, PREDICTED if frame.ended else BACKGROUND)
    state = "ended" if frame.ended else "cut" if now > frame.step else ""
    color = TEXT if not state else PREDICTED if frame.ended else OBSERVED
    caption = f"{frame.total:g}  step {frame.step} {state} {colours_note(frame.image.shape[-1])}"
    line = text_line(caption, body.shape[1], color, left=3)
    return framed(np.concatenate([line, body], axis=0), 2, BACKGROUND)


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
