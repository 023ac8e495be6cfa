"""The real world of a session: a game, and what it showed last."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from worldmodels.core.specs import Observation
from worldmodels.player.session.worlds.frames import Frame, Vectors, image_of, vectors_of
from worldmodels.recordings.action_recording import Action

if TYPE_CHECKING:
    from worldmodels.envs import GameEnv
    from worldmodels.player.session.worlds.foreign_game import ForeignGame


class RealWorldState(NamedTuple):
    """The state of a real world at one step."""

    state: bytes
    observation: Observation
    reward: float
    ended: bool
    info: dict[str, Any]


class RealWorld:
    """A game together with its last observation, reward and end.

    Args:
        human_view: show people's view (`render()`) instead of the agent's observation; it may change any time.
        frozen: the world gives only first frames, and a learned world is played without it.
        part: the name of the image to show, if an observation has several.

    Attributes:
        first: the first observation of the episode.
        context: the actions and observations that led from the first one to `observation` after a reset.
    """

    first: Observation
    context: tuple[tuple[Action, Observation], ...] = ()

    def __init__(
        self,
        env: GameEnv | ForeignGame,
        seed: int,
        human_view: bool = False,
        frozen: bool = False,
        part: str | None = None,
    ) -> None:
        self._env: Any = env  # which may save its state, or not
        self._seed: int | None = seed
        self.human_view, self.frozen, self._part = human_view, frozen, part
        self.observation: Observation
        self.reward = 0.0
        self.ended = False
        self.info: dict[str, Any] = {}

    @property
    def frame(self) -> Frame | None:
        """The picture to show, if there is one."""
        drawn = self._env.render() if self.human_view else None
        return self.image if drawn is None else np.asarray(drawn, np.uint8)

    @property
    def image(self) -> Frame | None:
        """The image that agents see, if they see one."""
        return image_of(self.observation, self._part)

    @property
    def vectors(self) -> Vectors:
        """The numbers that agents see."""
        return vectors_of(self.observation)

    @property
    def variables(self) -> Mapping[str, float]:
        """The true variables of the moment, by name; NaN for an absent thing, none if the environment reports none."""
        tells = not self.frozen and hasattr(self._env, "variables")
        return self._env.variables() if tells else {}

    def reset(self) -> None:
        """Begin an episode; the first call fixes all later levels by the seed."""
        self.observation, self.info = self._env.reset(seed=self._seed)
        self.first = self.observation
        self._seed, self.reward, self.ended = None, 0.0, False

    def step(self, action: Action) -> None:
        """Take one step; `ended` says that the episode is over."""
        self.observation, reward, terminated, truncated, self.info = self._env.step(action)
        self.reward, self.ended = float(reward), bool(terminated or truncated)

    def save(self) -> RealWorldState | None:
        """Return the state for `load`, or None if this environment cannot save its state."""
        if not getattr(self._env, "can_save", hasattr(self._env, "get_state")):
            return None
        return RealWorldState(self._env.get_state(), self.observation, self.reward, self.ended, self.info)

    def load(self, state: RealWorldState) -> None:
        """Go back to a state that `save` gave."""
        self._env.set_state(state.state)
        self.observation, self.reward, self.ended, self.info = state[1:]
