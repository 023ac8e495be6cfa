"""The real world of a session: a game, and what it showed last."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from worldmodels.player.session.frames import Frame

if TYPE_CHECKING:
    from worldmodels.envs import GameEnv
    from worldmodels.player.session.foreign_game import ForeignGame


class RealWorldState(NamedTuple):
    """The state of a real world at one step."""

    state: bytes
    observation: Frame
    reward: float
    ended: bool
    info: dict[str, Any]


class RealWorld:
    """A game together with its last observation, reward and end.

    Args:
        human_view: show what people see (`render()`), not what agents see (the observation); it may change any time.
        frozen: the world gives first frames alone and does not go on, so that a learned world is played without it.

    Attributes:
        first: the first frame of the episode.
        context: the actions and frames that led from the first frame to `observation` after a reset.
    """

    first: Frame
    context: tuple[tuple[int, Frame], ...] = ()

    def __init__(self, env: GameEnv | ForeignGame, seed: int, human_view: bool = False, frozen: bool = False) -> None:
        self._env: Any = env  # which may save its state, or not
        self._seed: int | None = seed
        self.human_view, self.frozen = human_view, frozen
        self.observation: Frame
        self.reward = 0.0
        self.ended = False
        self.info: dict[str, Any] = {}

    @property
    def frame(self) -> Frame:
        """The picture to show."""
        return np.asarray(self._env.render(), np.uint8) if self.human_view else self.observation

    def reset(self) -> None:
        """Begin an episode; the first call fixes all later levels by the seed."""
        self.observation, self.info = self._env.reset(seed=self._seed)
        self.first = self.observation
        self._seed, self.reward, self.ended = None, 0.0, False

    def step(self, action: int) -> None:
        """Take one step; `ended` says that the episode is over."""
        self.observation, reward, terminated, truncated, self.info = self._env.step(action)
        self.reward, self.ended = float(reward), bool(terminated or truncated)

    def save(self) -> RealWorldState | None:
        """Return what `load` needs to go on from here exactly, or None if this environment cannot save its state."""
        if not getattr(self._env, "can_save", hasattr(self._env, "get_state")):
            return None
        return RealWorldState(self._env.get_state(), self.observation, self.reward, self.ended, self.info)

    def load(self, state: RealWorldState) -> None:
        """Go back to a state that `save` gave."""
        self._env.set_state(state.state)
        self.observation, self.reward, self.ended, self.info = state[1:]
