"""The two worlds that the player steps by the same actions, the real one and the learned one, and who else plays."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt

from worldmodels.core.seeding import Streams, fold

if TYPE_CHECKING:
    from worldmodels.agents.api import Agent
    from worldmodels.envs import GameEnv
    from worldmodels.models.api import Perception, WorldModel

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
    """

    def __init__(self, env: GameEnv, seed: int, human_view: bool = False) -> None:
        self._env = env
        self._seed: int | None = seed
        self.human_view = human_view
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


class Watcher:
    """What a perception makes of the real frames as they come."""

    def __init__(self, perception: Perception, streams: Streams) -> None:
        self.perception = perception
        self._key = streams.key("player/watch")
        self.steps = 0
        """Frames seen so far, of all episodes."""
        self.state: Any = None

    def reset(self, observation: Frame) -> None:
        """A real episode begins with this frame."""
        self._observe(observation, action=0, is_first=True, state=self.perception.initial(1))

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
        self.state = self.perception.observe(
            state, observation[None], np.array([action], np.int32), np.array([is_first]), key
        )


class ModelWorld:
    """A world model that predicts alone from the moment in which it was last put back on the real state.

    The watcher goes on following the real frames all the time, in a state that the prediction never sees. So putting it
    back is exact: the prediction's state becomes what the model makes of everything that really happened.
    """

    def __init__(self, model: WorldModel, watcher: Watcher, streams: Streams, temperature: float) -> None:
        self._model, self.watcher = model, watcher
        self._temperature = np.float32(temperature)
        self._root = streams.key("player/predict")
        self.predicted: Any = None
        self.reward = 0.0
        self.continuation = 1.0
        self.frame: Frame

    def step(self, action: int) -> None:
        """Predict the step of `action`, before the watcher sees where it really led."""
        self.predicted = self._imagine(action)
        self._look()

    def put_back(self) -> None:
        """Predict on from the real state."""
        self.predicted = self.watcher.state
        self._look()

    def save(self) -> Any:
        """What `load` needs to go on from here exactly, besides the watcher."""
        return self.predicted

    def load(self, predicted: Any) -> None:
        """Go back to a moment that `save` gave."""
        self.predicted = predicted
        self._look()

    def warm_up(self) -> None:
        """Compile what `step` calls; the states stay what they are."""
        self._imagine(action=0)

    def _imagine(self, action: int) -> Any:
        key = fold(self._root, self.watcher.steps)
        return self._model.imagine(self.predicted, np.array([action], np.int32), self._temperature, key)

    def _look(self) -> None:
        self.frame = np.asarray(self._model.frame(self.predicted))[0]
        self.reward = float(np.asarray(self._model.reward(self.predicted))[0])
        self.continuation = float(np.asarray(self._model.continuation(self.predicted))[0])


class PolicyPlayer:
    """An agent that plays by what a perception makes of the real frames."""

    def __init__(self, agent: Agent, watcher: Watcher, streams: Streams, temperature: float) -> None:
        self._agent, self.watcher = agent, watcher
        self._temperature = np.float32(temperature)
        self._root = streams.key("player/policy")
        self._steps = 0
        self._memory: Any = agent.initial(1)

    def reset(self) -> None:
        """A real episode begins."""
        self._memory = self._agent.initial(1)

    def save(self) -> tuple[int, Any]:
        """What `load` needs to go on from here exactly, besides the watcher."""
        return self._steps, self._memory

    def load(self, moment: tuple[int, Any]) -> None:
        """Go back to a moment that `save` gave."""
        self._steps, self._memory = moment

    def act(self) -> int:
        """The action in what the watcher has seen."""
        self._steps += 1
        action, self._memory = self._choose()
        return int(np.asarray(action)[0])

    def warm_up(self) -> None:
        """Compile what `act` calls; the memory stays what it is."""
        self._choose()

    def _choose(self) -> tuple[Any, Any]:
        features = self.watcher.perception.features(self.watcher.state)
        action, memory, _ = self._agent.act(features, self._memory, self._temperature, fold(self._root, self._steps))
        return action, memory
