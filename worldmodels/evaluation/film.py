"""A film of episodes side by side, each with its return so far above it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from worldmodels.core.types import Step
from worldmodels.evaluation.video import BACKGROUND, LOOKING, PREDICTING, TEXT, enlarged, framed, text_line, tiled


class FilmFrame(NamedTuple):
    """What one episode shows at one step."""

    image: np.ndarray
    step: int
    total: float
    """The return so far."""
    ended: bool
    action: int
    """Chosen at this step; means nothing at the last one."""


class EpisodeFilm:
    """Keeps what the first `count` environments show during their first episodes; a `Watcher` of `evaluate_policy`."""

    def __init__(self, count: int):
        self._count = count
        self.episodes: list[list[FilmFrame]] = []

    def __call__(self, step: Step, returns: np.ndarray, playing: np.ndarray) -> None:
        if not self.episodes:
            self.episodes = [[] for _ in range(min(self._count, len(returns)))]
        for i, moments in enumerate(self.episodes):
            if playing[i]:
                image, total = step.observation[i].copy(), float(returns[i])
                moments.append(FilmFrame(image, len(moments), total, bool(step.is_last[i]), int(step.action[i])))

    def frames(self) -> Iterator[np.ndarray]:
        """uint8 (H', W', 3), one by one, as long as the longest episode; those that ended keep their last picture."""
        columns, scale = min(4, len(self.episodes)), max(1, 192 // len(self.episodes[0][0].image))
        for t in range(max(map(len, self.episodes))):
            shown = [moments[min(t, len(moments) - 1)] for moments in self.episodes]
            yield tiled([_cell(moment, t, scale) for moment in shown], columns)


def _cell(moment: FilmFrame, now: int, scale: int) -> np.ndarray:
    body = framed(enlarged(moment.image, scale), 2, PREDICTING if moment.ended else BACKGROUND)
    state = "ended" if moment.ended else "cut" if now > moment.step else ""
    color = TEXT if not state else PREDICTING if moment.ended else LOOKING
    line = text_line(f"{moment.total:g}  step {moment.step} {state}", body.shape[1], color, left=3)
    return framed(np.concatenate([line, body], axis=0), 2, BACKGROUND)
