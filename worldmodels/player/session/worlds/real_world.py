"""The real world of a session: a game, and what it showed last.

The replacement of the real world for a model that is played alone: its episodes start in the run's experience.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from worldmodels.core.seeding import Streams, fold
from worldmodels.core.specs import Observation
from worldmodels.player.session.controls.box_controls import action_of
from worldmodels.player.session.worlds.frames import Frame, Vectors, image_of, row_of, vectors_of, with_image
from worldmodels.recordings.action_recording import Action

if TYPE_CHECKING:
    from worldmodels.envs import GameEnv
    from worldmodels.imagination.replay_starts import StartWindows
    from worldmodels.player.session.worlds.foreign_game import ForeignGame


KEPT_STEPS = 1000
"""The newest steps of an episode that are kept, so that a model can observe them later."""


class RealWorldState(NamedTuple):
    """The state of a real world at one step."""

    state: bytes
    observation: Observation
    reward: float
    ended: bool
    info: dict[str, Any]
    first: Observation
    context: tuple[tuple[Action, Observation], ...]


class ShownWorld:
    """The pictures and numbers of a world's last observation, as agents see them.

    Args:
        part: the name of the image to show, if an observation has several.
    """

    observation: Observation

    def __init__(self, part: str | None = None) -> None:
        self._part = part

    @property
    def frame(self) -> Frame | None:
        """The picture to show, if there is one."""
        return self.image

    @property
    def image(self) -> Frame | None:
        """The image that agents see, if they see one."""
        return image_of(self.observation, self._part)

    def changed(self, frame: Frame) -> Observation:
        """Return the last observation with another image."""
        return with_image(self.observation, frame, self._part)

    @property
    def vectors(self) -> Vectors:
        """The numbers that agents see."""
        return vectors_of(self.observation)

    @property
    def variables(self) -> Mapping[str, float]:
        """The true variables of the moment, by name; NaN for an absent thing, none if there are none to read."""
        return {}


class RealWorld(ShownWorld):
    """A game together with its last observation, reward and end.

    Args:
        human_view: show people's view (`render()`) instead of the agent's observation; it may change any time.
        frozen: the world gives only first frames, and a learned world is played without it.
        part: the name of the image to show, if an observation has several.

    Attributes:
        first: the first observation of the episode; of one longer than `KEPT_STEPS`, the one before `context`.
        context: the actions and observations that led from `first` to `observation`.
        counts: its episodes are logged and counted.
    """

    first: Observation
    counts = True

    def __init__(
        self,
        env: GameEnv | ForeignGame,
        seed: int,
        human_view: bool = False,
        frozen: bool = False,
        part: str | None = None,
    ) -> None:
        super().__init__(part)
        self._env: Any = env  # which may save its state, or not
        self._seed: int | None = seed
        self.human_view, self.frozen = human_view, frozen
        self.reward = 0.0
        self.ended = False
        self.info: dict[str, Any] = {}
        self.context: deque[tuple[Action, Observation]] = deque()

    @property
    def frame(self) -> Frame | None:
        drawn = self._env.render() if self.human_view else None
        return self.image if drawn is None else np.asarray(drawn, np.uint8)

    @property
    def variables(self) -> Mapping[str, float]:
        tells = not self.frozen and hasattr(self._env, "variables")
        return self._env.variables() if tells else {}

    def reset(self) -> None:
        """Begin an episode; the first call fixes all later levels by the seed."""
        self.observation, self.info = self._env.reset(seed=self._seed)
        self.first = self.observation
        self.context.clear()
        self._seed, self.reward, self.ended = None, 0.0, False

    def step(self, action: Action) -> None:
        """Take one step; `ended` says that the episode is over."""
        self.observation, reward, terminated, truncated, self.info = self._env.step(action)
        self.reward, self.ended = float(reward), bool(terminated or truncated)
        self.context.append((action, self.observation))
        if len(self.context) > KEPT_STEPS:
            _, self.first = self.context.popleft()

    def save(self) -> RealWorldState | None:
        """Return the state for `load`, or None if this environment cannot save its state."""
        if not getattr(self._env, "can_save", hasattr(self._env, "get_state")):
            return None
        shown = self.observation, self.reward, self.ended, self.info
        return RealWorldState(self._env.get_state(), *shown, self.first, tuple(self.context))

    def load(self, state: RealWorldState) -> None:
        """Go back to a state that `save` gave."""
        self._env.set_state(state.state)
        self.observation, self.reward, self.ended, self.info, self.first, context = state[1:]
        self.context = deque(context)


class ReplayStartWorld(ShownWorld):
    """A world that gives steps of a run's experience to start from, after which only a model goes on.

    It has the attributes of a frozen `RealWorld`.
    """

    human_view, frozen, counts = False, True, True
    reward, ended = 0.0, False

    def __init__(self, starts: StartWindows, streams: Streams, part: str | None = None) -> None:
        super().__init__(part)
        self._starts, self._root = starts, streams.key("player/starts")
        self._resets = 0
        self.info: dict[str, Any] = {}
        self.first: Observation
        self.context: tuple[tuple[Action, Observation], ...] = ()

    def reset(self) -> None:
        """Go to the end of another window of experience."""
        self._resets += 1
        words = fold(self._root, self._resets).view(np.uint32)
        window = self._starts(1, np.random.default_rng(words))
        shown, actions = row_of(window.observation, 0), window.action[0]
        # Where the window runs across the border of two episodes, only the second one counts.
        begin = int(np.flatnonzero(window.is_first[0]).max(initial=0))
        self.first, self.observation = row_of(shown, begin), row_of(shown, -1)
        self.context = tuple((action_of(actions[i]), row_of(shown, i + 1)) for i in range(begin, len(actions) - 1))

    def step(self, action: Action) -> None:
        """Raise an error, because experience does not go on under other actions."""
        raise RuntimeError("experience does not go on under other actions")

    def save(self) -> RealWorldState:
        """Return the state for `load`."""
        resets = self._resets.to_bytes(8, "little")
        return RealWorldState(resets, self.observation, 0.0, False, {}, self.first, self.context)

    def load(self, state: RealWorldState) -> None:
        """Go back to a state that `save` gave."""
        self._resets = int.from_bytes(state.state, "little")
        self.observation, self.first, self.context = state.observation, state.first, state.context
