"""The worlds that are stepped by the same actions: the real one, and learned ones beside it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt

from worldmodels.core.seeding import Key, Streams, fold
from worldmodels.player.rows import repeat_row
from worldmodels.player.settings import Settings

if TYPE_CHECKING:
    from worldmodels.envs import GameEnv
    from worldmodels.imagination.model_view import ModelView, Prediction
    from worldmodels.imagination.replay_starts import StartWindows
    from worldmodels.models.api import Representation
    from worldmodels.player.foreign import ForeignGame

Frame = npt.NDArray[np.uint8]
"""(H, W, 3), 0 to 255."""


class RealMoment(NamedTuple):
    """A real world at one moment."""

    state: bytes
    observation: Frame
    reward: float
    ended: bool
    info: dict[str, Any]


class RealWorld:
    """A game, and what it showed last.

    Args:
        human_view: show what people see (`render()`), not what agents see (the observation); may be changed any time.
        frozen: it gives first frames alone, and does not go on: a learned world is played without reality.

    Attributes:
        context: what led from the first frame to `observation` after a reset, actions and the frames that followed.
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
        """One step; `ended` says that the episode is over."""
        self.observation, reward, terminated, truncated, self.info = self._env.step(action)
        self.reward, self.ended = float(reward), bool(terminated or truncated)

    def save(self) -> RealMoment | None:
        """What `load` needs to go on from here exactly; None if this environment cannot save its state."""
        if not hasattr(self._env, "get_state"):
            return None
        return RealMoment(self._env.get_state(), self.observation, self.reward, self.ended, self.info)

    def load(self, moment: RealMoment) -> None:
        """Go back to a moment that `save` gave."""
        self._env.set_state(moment.state)
        self.observation, self.reward, self.ended, self.info = moment[1:]


class RecordedWorld:
    """In place of a real world: moments of a recording, after which only a model goes on."""

    human_view, frozen = False, True
    reward, ended = 0.0, False

    def __init__(self, starts: StartWindows, streams: Streams) -> None:
        self._starts, self._root = starts, streams.key("player/starts")
        self._resets = 0
        self.info: dict[str, Any] = {}
        self.first: Frame
        self.observation: Frame
        self.context: tuple[tuple[int, Frame], ...] = ()

    @property
    def frame(self) -> Frame:
        """The frame after which the recording is left."""
        return self.observation

    def reset(self) -> None:
        """Another moment of the recording."""
        self._resets += 1
        words = fold(self._root, self._resets).view(np.uint32)
        window = self._starts(1, np.random.default_rng(words))
        frames, actions = window.observation[0], window.action[0]
        # Where the window runs across the border of two episodes, only the second one counts.
        begin = int(np.flatnonzero(window.is_first[0]).max(initial=0))
        self.first, self.observation = frames[begin], frames[-1]
        self.context = tuple((int(actions[i]), frames[i + 1]) for i in range(begin, len(frames) - 1))

    def step(self, action: int) -> None:
        raise RuntimeError("a recording does not go on by other actions")

    def save(self) -> RealMoment:
        """What `load` needs to come back here."""
        state = self._resets.to_bytes(8, "little")
        return RealMoment(state, self.observation, 0.0, False, {"first": self.first, "context": self.context})

    def load(self, moment: RealMoment) -> None:
        """Go back to a moment that `save` gave."""
        self._resets = int.from_bytes(moment.state, "little")
        self.observation = moment.observation
        self.first, self.context = moment.info["first"], moment.info["context"]


class Watcher:
    """What a representation makes of the real frames as they come."""

    def __init__(self, representation: Representation, streams: Streams) -> None:
        self.representation = representation
        self._key = streams.key("player/watch")
        self.steps = 0
        """Frames seen so far, of all episodes."""
        self.state: Any = None

    def reset(self, observation: Frame) -> None:
        """A real episode begins with this frame."""
        self._observe(observation, action=0, is_first=True, state=self.representation.initial(1))

    def step(self, action: int, observation: Frame) -> None:
        """The frame to which `action` really led."""
        self._observe(observation, action, is_first=False, state=self.state)

    def save(self) -> tuple[int, Any]:
        """What `load` needs to go on from here exactly."""
        return self.steps, self.state

    def load(self, moment: tuple[int, Any]) -> None:
        """Go back to a moment that `save` gave."""
        self.steps, self.state = moment

    def _observe(self, observation: Frame, action: int, is_first: bool, state: Any) -> None:
        self.steps += 1
        key = fold(self._key, self.steps)
        self.state = self.representation.observe(
            state, observation[None], np.array([action], np.int32), np.array([is_first]), key
        )


CROWD = 16
"""Samples of one step that tell how sure a model is."""


class ModelWorld:
    """A world model that predicts alone from the moment in which it was last put back on the real state.

    The watcher goes on following the real frames all the time, in a state that the prediction never sees. So putting it
    back is exact: the prediction's state becomes what the model makes of everything that really happened.

    Attributes:
        name: for people.
        frame: what it predicts to be seen now.
        seen: its own picture of the real frame, having seen it; None for a model that keeps frames as they are.
        doubt: float32 (H, W), 0 to 1: how much the samples of the last step differ; None where that is not asked for.
        doubts: whether it is asked for.
    """

    def __init__(
        self, model: ModelView, watcher: Watcher, streams: Streams, settings: Settings, name: str = "Model"
    ) -> None:
        self.model, self.watcher, self.name = model, watcher, name
        self._streams, self._settings = streams, settings
        self._paints = model.spec.reconstructs
        self._steps = 0
        self.predicted: Any = None
        self.reward = 0.0
        self.continuation = 1.0
        self.frame: Frame
        self.seen: Frame | None = None
        self.doubts = False
        self.doubt: npt.NDArray[np.float32] | None = None

    def step(self, action: int) -> None:
        """Predict the step of `action`, before the watcher sees where it really led."""
        before = self.predicted
        self._steps += 1
        self.predicted, prediction = self._imagine(before, action, self.key("predict"))
        self._see(prediction)
        self.doubt = self._doubt(before, action) if self.doubts else None

    def put_back(self) -> None:
        """Predict on from the real state."""
        self.predicted, self.doubt = self.watcher.state, None
        self._see(self.model.predict(self.predicted))

    def look_at_reality(self) -> None:
        """The model's own picture of what the watcher has just seen."""
        self.seen = np.asarray(self.model.frame(self.watcher.state))[0] if self._paints else None

    def key(self, use: str) -> Key:
        """Of the samples of this step, for one use."""
        return fold(self._streams.key(f"player/{use}/{self._settings.sample}"), self._steps)

    def save(self) -> Any:
        """What `load` needs to go on from here exactly, besides the watcher."""
        return self.predicted, self.doubt, self._steps

    def load(self, moment: Any) -> None:
        """Go back to a moment that `save` gave."""
        self.predicted, self.doubt, self._steps = moment
        self._see(self.model.predict(self.predicted))
        self.look_at_reality()

    def warm_up(self) -> None:
        """Compile what `step` calls; the states stay what they are."""
        self._imagine(self.predicted, 0, self.key("predict"))

    def warm_up_crowd(self) -> None:
        """Compile what many samples need."""
        self._doubt(self.predicted, 0)

    def _imagine(self, state: Any, action: int, key: Key, rows: int = 1) -> tuple[Any, Prediction]:
        actions = np.full(rows, action, np.int32)
        state, prediction = self.model.step(state, actions, np.float32(self._settings.temperature), key)
        return state, prediction

    def _doubt(self, before: Any, action: int) -> npt.NDArray[np.float32]:
        """The standard deviation of each pixel over samples of one step, the largest of its channels."""
        _, crowd = self._imagine(repeat_row(before, CROWD), action, self.key("doubt"), CROWD)
        deviation = np.asarray(crowd.frame).astype(np.float32).std(0).max(-1) / 127.5
        return np.asarray(deviation, np.float32)

    def _see(self, prediction: Prediction) -> None:
        self.frame = np.asarray(prediction.frame)[0]
        self.reward = float(np.asarray(prediction.reward)[0])
        self.continuation = float(np.asarray(prediction.continuation)[0])
