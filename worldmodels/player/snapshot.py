"""What the player shows at one moment, free of how it is drawn."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from worldmodels.player.worlds import Frame

Clock = Literal["running", "paused", "episode over"]


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
    """The learned world."""

    frame: Frame
    reward: float
    """Predicted for the last step."""
    episode_return: float
    """Real rewards of this episode up to the last time the model was put back, predicted ones since."""
    continuation: float
    """Predicted probability, 0 to 1, that the episode goes on."""
    ended: bool
    """Since it was last put back, the model has predicted the end: continuation fell below 0.5."""


@dataclass(frozen=True)
class Moment:
    """One step on the time line, or, with a mark, a put-back or the first frame of an episode."""

    real_reward: float
    model_reward: float = 0.0
    continuation: float = 1.0
    image_error: float = 0.0
    """Mean absolute difference of the two frames, 0 to 255."""
    mark: str = ""
    """"put back", "episode" or nothing."""


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
    player: Literal["you", "policy"]
    action: str
    """What the last action does in this game."""
    episode: int
    """Number of this episode, from 1."""
    step: int
    """Steps of this episode."""
    since_put_back: int
    """Steps that the model has predicted alone."""
    real: RealSide
    model: ModelSide | None
    totals: Totals
    notice: str
    """A short message, or nothing."""
    help_shown: bool
    history: tuple[Moment, ...]
    """The oldest first."""
