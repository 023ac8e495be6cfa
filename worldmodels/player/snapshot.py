"""What the player shows at one moment, free of how it is drawn."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
import numpy.typing as npt

from worldmodels.player.worlds import Frame

Clock = Literal["running", "paused", "episode over"]
LEFT = 10.0
"""Image error, 0 to 255, from which a model counts as having left reality."""


@dataclass(frozen=True)
class RealSide:
    """The real world."""

    frame: Frame
    reward: float
    """Of the last step."""
    episode_return: float
    """Sum of the rewards of this episode."""


@dataclass(frozen=True)
class ModelSide:
    """A learned world."""

    name: str
    frame: Frame
    seen: Frame | None
    """Its own picture of the real frame, having seen it; None for a model that keeps frames as they are."""
    doubt: npt.NDArray[np.float32] | None
    """float32 (H, W), 0 to 1: how much samples of this step differ; None where that is not asked for."""
    reward: float
    """Predicted for the last step."""
    episode_return: float
    """Real rewards of this episode up to the last time the model was put back, predicted ones since."""
    continuation: float
    """Predicted probability, 0 to 1, that the episode goes on."""
    ended: bool
    """Since it was last put back, the model has predicted the end: continuation fell below 0.5."""


@dataclass(frozen=True)
class Mind:
    """What the policy makes of the real frame."""

    probabilities: tuple[float, ...]
    """Of each action, at temperature 1."""
    value: float | None
    """The return that it expects from here on, as its agent counts rewards."""


@dataclass(frozen=True)
class Branch:
    """One of many ways to go on."""

    label: str
    frame: Frame
    branch_return: float
    """Predicted rewards since the branches parted, each counted by the probability that the episode got there."""
    alive: float
    """Predicted probability, 0 to 1, that the episode has come so far."""


@dataclass(frozen=True)
class BranchView:
    """All branches at one of their steps."""

    tiles: tuple[Branch, ...]
    step: int
    steps: int


@dataclass(frozen=True)
class TimelineEntry:
    """One step on the time line, or, with a mark, a put-back or the first frame of an episode."""

    real_reward: float
    models: tuple[ModelForecast, ...] = ()
    mark: str = ""
    """"put back", "episode" or nothing."""
    left: bool = False
    """Here the first model's picture first went further from reality than `LEFT`, since it was put back."""


@dataclass(frozen=True)
class ModelForecast:
    """What one model said of a step, and how far off its picture was."""

    reward: float
    continuation: float
    image_error: float
    """Mean absolute difference of the two frames, 0 to 255."""
    seeing_error: float | None = None
    """The same of its own picture of the frame that it saw; None for a model that keeps frames as they are."""


@dataclass(frozen=True)
class Totals:
    """Over the episodes that came to their end; those cut short by a new episode do not count."""

    episodes: int = 0
    steps: int = 0
    real_return: float = 0.0
    model_return: float = 0.0

    def text(self, with_model: bool) -> str:
        """In one sentence."""
        if not self.episodes:
            return "No episode was played to its end."
        model = f", in the model {self.model_return / self.episodes:.3g}" if with_model else ""
        real = self.real_return / self.episodes
        return f"Episodes played to their end: {self.episodes}. Mean return: {real:.3g}{model}."

    def plus(self, steps: int, real_return: float, model_return: float) -> Totals:
        """One more episode."""
        return Totals(
            self.episodes + 1, self.steps + steps, self.real_return + real_return, self.model_return + model_return
        )


@dataclass(frozen=True)
class Snapshot:
    """Everything there is to draw."""

    title: str
    level_seed: int | None
    clock: Clock
    player: str
    """"you", or the name of who plays for you."""
    action: str
    """What the last action does in this game."""
    episode: int
    """Number of this episode, from 1."""
    step: int
    """Steps of this episode."""
    since_put_back: int
    """Steps that the model has predicted alone."""
    alone: bool
    """The models are played without reality: its frame is where they began."""
    real: RealSide
    models: tuple[ModelSide, ...]
    mind: Mind | None
    branches: BranchView | None
    settings: tuple[tuple[str, str], ...]
    """What can be changed: names and values."""
    chosen: int
    """Which of them the keys change now."""
    totals: Totals
    notice: str
    """A short message, or nothing."""
    help_shown: bool
    history: tuple[TimelineEntry, ...]
    """The oldest first."""
