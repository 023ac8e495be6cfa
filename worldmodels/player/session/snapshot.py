"""The snapshot of a session: everything that the player shows at one tick, free of how it is drawn."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
import numpy.typing as npt

from worldmodels.player.session.frames import Frame

ClockState = Literal["running", "paused", "episode over"]
DIVERGENCE_ERROR = 10.0
"""Image error, 0 to 255, from which a model counts as having left reality."""


@dataclass(frozen=True)
class RealSnapshot:
    """The real world."""

    frame: Frame
    reward: float
    """The reward of the last step."""
    episode_return: float
    """Sum of the rewards of this episode."""


@dataclass(frozen=True)
class ModelSnapshot:
    """A learned world."""

    name: str
    frame: Frame
    reconstruction: Frame | None
    """Its own picture of the real frame, after observing it; None for a model that gives observed frames back."""
    uncertainty: npt.NDArray[np.float32] | None
    """float32 (H, W), 0 to 1: how much samples of this step differ; None where it is not wanted."""
    reward: float
    """The reward predicted for the last step."""
    episode_return: float
    """Real rewards of this episode up to the last time the model was put back, predicted ones since."""
    continuation: float
    """Predicted probability, 0 to 1, that the episode continues."""
    ended: bool
    """Whether the model has predicted the end since it was last put back: continuation fell below 0.5."""


@dataclass(frozen=True)
class PolicyPanel:
    """The choice and the value that the policy gives for the real frame."""

    probabilities: tuple[float, ...]
    """The probability of each action, at temperature 1."""
    value: float | None
    """The return that it expects from here on, as its agent counts rewards."""


@dataclass(frozen=True)
class Branch:
    """One of many ways to go on."""

    label: str
    frame: Frame
    branch_return: float
    """Predicted rewards since the branches parted, each counted by the probability that the episode got there."""
    survival: float
    """Predicted probability, 0 to 1, that the episode has come so far."""


@dataclass(frozen=True)
class BranchesSnapshot:
    """All branches at one of their steps."""

    branches: tuple[Branch, ...]
    step: int
    steps: int


@dataclass(frozen=True)
class TimelineEntry:
    """One step on the time line, or, with a mark, a put-back or the first frame of an episode."""

    real_reward: float
    models: tuple[ModelForecast, ...] = ()
    mark: str = ""
    """"put back", "episode" or nothing."""
    diverged: bool = False
    """Whether the first model's image error reaches `DIVERGENCE_ERROR` here, for the first time since its put-back."""


@dataclass(frozen=True)
class ModelForecast:
    """The forecast of one model for a step, and how far off its picture was."""

    reward: float
    continuation: float
    image_error: float
    """Mean absolute difference of the two frames, 0 to 255."""
    reconstruction_error: float | None = None
    """The same of its own picture of the observed frame; None for a model that gives observed frames back."""


@dataclass(frozen=True)
class Totals:
    """Sums over the episodes that came to their end; those cut short by a new episode do not count."""

    episodes: int = 0
    steps: int = 0
    real_return: float = 0.0
    model_return: float = 0.0

    def text(self, with_model: bool) -> str:
        """Return the totals in one sentence."""
        if not self.episodes:
            return "No episode was played to its end."
        model = f", in the model {self.model_return / self.episodes:.3g}" if with_model else ""
        real = self.real_return / self.episodes
        return f"Episodes played to their end: {self.episodes}. Mean return: {real:.3g}{model}."

    def plus(self, steps: int, real_return: float, model_return: float) -> Totals:
        """Return the totals with one more episode."""
        return Totals(
            self.episodes + 1, self.steps + steps, self.real_return + real_return, self.model_return + model_return
        )


@dataclass(frozen=True)
class Snapshot:
    """Everything there is to draw."""

    title: str
    level_seed: int | None
    clock: ClockState
    player: str
    """"you", or the name of who plays for you."""
    action: str
    """The meaning of the last action in this game."""
    episode: int
    """Number of this episode, from 1."""
    step: int
    """Steps of this episode."""
    since_put_back: int
    """Steps that the model has predicted alone."""
    alone: bool
    """Whether the models are played without reality, whose frame is then the one that they started from."""
    real: RealSnapshot
    models: tuple[ModelSnapshot, ...]
    policy_panel: PolicyPanel | None
    branches: BranchesSnapshot | None
    settings: tuple[tuple[str, str], ...]
    """The names and values of everything that can be changed."""
    chosen: int
    """The index of the setting that the keys change now."""
    totals: Totals
    notice: str
    """A short message, or nothing."""
    help_shown: bool
    history: tuple[TimelineEntry, ...]
    """The time line, the oldest step first."""
