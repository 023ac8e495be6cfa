"""The snapshot of a session: everything that the player shows at one tick, without its drawing."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

import numpy as np
import numpy.typing as npt

from worldmodels.player.session.drawing.drawing_snapshot import ToolSnapshot
from worldmodels.player.session.episodes.episodes_snapshot import EpisodesSnapshot, RecordedSnapshot
from worldmodels.player.session.latents.latents_snapshot import LatentsSnapshot
from worldmodels.player.session.worlds.frames import Frame, Ranges, Vectors
from worldmodels.recordings.action_recording import Action

ClockState = Literal["running", "paused", "episode over"]
DIVERGENCE_ERROR = 10.0
"""Error, 0 to 255, from which a model counts as having left reality."""


def plain(value: float, decimals: int | None = None) -> str:
    """Return a number for people: never with an exponent, and without a sign if it rounds to 0.

    Args:
        decimals: digits behind the point. By default two, of a number below 1 four, without zeros at the end.
    """
    text = f"{value:.{(4 if abs(value) < 1 else 2) if decimals is None else decimals}f}"
    if decimals is None:
        text = text.rstrip("0").rstrip(".")
    return text if float(text) else text.lstrip("-")


@dataclass(frozen=True)
class RealSnapshot:
    """The real world."""

    frame: Frame | None
    """The picture to show; None if there are only numbers."""
    reward: float
    """The reward of the last step."""
    episode_return: float
    """Sum of the rewards of this episode."""
    vectors: Vectors = field(default_factory=dict)
    """The numbers that it shows."""


@dataclass(frozen=True)
class ModelSnapshot:
    """A learned world."""

    name: str
    frame: Frame | None
    """The predicted picture; None for a model of numbers."""
    reconstruction: Frame | None
    """Its own picture of the real frame, after observing it; None for a model that gives observed frames back."""
    uncertainty: npt.NDArray[np.float32] | None
    """float32 (H, W), 0 to 1: how much samples of this step differ; None if it is not measured."""
    reward: float
    """The reward predicted for the last step."""
    episode_return: float
    """Real rewards of this episode up to the last time the model was put back, predicted ones since."""
    continuation: float
    """Predicted probability, 0 to 1, that the episode continues."""
    ended: bool
    """Whether the model has predicted the end since it was last put back: continuation fell below 0.5."""
    vectors: Vectors = field(default_factory=dict)
    """The numbers that it predicts."""
    reconstructed_vectors: Vectors = field(default_factory=dict)
    """Its own values of the numbers that it has observed; empty for a model that gives them back as they are."""
    spreads: Vectors = field(default_factory=dict)
    """The standard deviations of the numbers over samples of this step; empty if they are not measured."""
    error: float = 0.0
    """The mean absolute difference of its numbers from the real ones, each as a share of the range seen so far."""
    held: int = 0
    """The number of groups of its latents that a person holds."""
    changed: bool = False
    """Whether a person has changed its latents since it was last put back."""


@dataclass(frozen=True)
class PolicyPanel:
    """The choice and the value that the policy gives for the real frame."""

    probabilities: tuple[float, ...]
    """The probability of each action, at temperature 1; none for a box of actions."""
    value: float | None
    """The return that it expects from here on, as its agent counts rewards."""
    action: Action | None = None
    """Its choice in a box of actions."""


@dataclass(frozen=True)
class BoxPanel:
    """The numbers of a box of actions, all in the environment's own units."""

    names: tuple[str, ...]
    keys: tuple[str, ...]
    """The pair of keys of each of the first numbers; none if there are sliders."""
    low: tuple[float, ...]
    high: tuple[float, ...]
    values: tuple[float, ...]
    """The numbers that are taken now."""
    choice: tuple[float, ...] | None
    """The policy's choice at the real frame, if there is a policy."""
    value: float | None
    """The return that the policy expects from here on."""
    slider: int | None
    """The slider that keys move now; None if each number has its own keys."""


@dataclass(frozen=True)
class Branch:
    """One of many ways to go on."""

    label: str
    frame: Frame | None
    branch_return: float
    """Predicted rewards since the branches parted, each counted by the probability that the episode got there."""
    survival: float
    """Predicted probability, 0 to 1, that the episode has come so far."""
    vectors: Vectors = field(default_factory=dict)


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
    """Mean absolute difference of the two frames, 0 to 255. For a model of numbers, the difference of the numbers, with
    96 for their whole range."""
    reconstruction_error: float | None = None
    """The same of its own picture of the observed frame; None for a model that gives observed frames back."""


@dataclass(frozen=True)
class AwaitedModels:
    """The models that are loaded while the real game is played."""

    names: tuple[str, ...]
    reconstructs: bool
    status: str
    """The present work, for people."""


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
        model = f", in the model {plain(self.model_return / self.episodes)}" if with_model else ""
        real = plain(self.real_return / self.episodes)
        return f"Episodes played to their end: {self.episodes}. Mean return: {real}{model}."

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
    """"you", or the name of the player that replaces you."""
    action: str
    """The meaning of the last action in this game."""
    episode: int
    """Number of this episode, from 1."""
    step: int
    """Steps of this episode."""
    since_put_back: int
    """Steps that the model has predicted since it was put back."""
    alone: bool
    """Whether the models are played without the real world, whose frame is then their start."""
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
    present: int = -1
    """The place of the present on the time line; what is later was taken back."""
    ranges: Ranges = field(default_factory=dict)
    """The ranges in which the real numbers have been so far."""
    box_panel: BoxPanel | None = None
    """The numbers of the action, for a box of actions."""
    latents: LatentsSnapshot | None = None
    """The pane of latents, if it is shown."""
    checkpoint: str = ""
    """The checkpoint of the first model, for people, if others are kept."""
    awaited: AwaitedModels | None = None
    """The models that will stand beside the real world, while they are loaded."""

    recorded: RecordedSnapshot | None = None
    """The recorded episode that is reality, if it is not the game."""
    drawing: ToolSnapshot | None = None
    """The drawing tool, while a person draws."""
    drawn: bool = False
    """Whether the models were put on a frame that a person has changed."""
    info: tuple[tuple[str, str], ...] = ()
    """Names and values of the moment, if they are shown."""
    episodes: EpisodesSnapshot | None = None
    """The list of recorded episodes, if it is shown."""

    @property
    def line_length(self) -> int:
        """The entries that fill the time line if it is that of a whole recorded episode; 0 for the newest steps."""
        return max(len(self.history), self.recorded.steps + 1) if self.recorded else 0

    @property
    def has_columns(self) -> bool:
        """Whether worlds stand side by side, now or soon; a game alone stands beside its rules."""
        return bool(self.models or (self.awaited and self.awaited.names))
