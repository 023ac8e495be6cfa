"""The two worlds that the player steps by the same actions: the real one and the learned one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt

from worldmodels.core.seeding import Key, Streams, fold

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


class ModelMoment(NamedTuple):
    """A learned world at one moment: both states, and how many random keys were used."""

    steps: int
    watched: Any
    predicted: Any


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


class ModelWorld:
    """A world model that predicts alone from the moment in which it was last put back on the real state.

    It goes on watching the real frames all the time, in a second state that the prediction never sees. So putting it
    back is exact: the prediction's state becomes what the model makes of everything that really happened.
    """

    def __init__(self, model: WorldModel, streams: Streams, temperature: float) -> None:
        self._model = model
        self._temperature = np.float32(temperature)
        self._keys = {name: streams.key(f"player/{name}") for name in ("watch", "predict")}
        self._steps = 0
        self.watched: Any = None
        self.predicted: Any = None
        self.reward = 0.0
        self.continuation = 1.0
        self.frame: Frame

    def reset(self, observation: Frame) -> None:
        """A real episode begins with this frame."""
        self._watch(observation, action=0, is_first=True, state=self._model.initial(1))
        self.put_back()

    def step(self, action: int, observation: Frame) -> None:
        """Predict the step of `action`, and watch the frame to which it really led."""
        self.predicted = self._imagine(action)
        self._watch(observation, action, is_first=False, state=self.watched)
        self._look()

    def put_back(self) -> None:
        """Predict on from the real state."""
        self.predicted = self.watched
        self._look()

    def save(self) -> ModelMoment:
        """What `load` needs to go on from here exactly, with the same samples."""
        return ModelMoment(self._steps, self.watched, self.predicted)

    def load(self, moment: ModelMoment) -> None:
        """Go back to a moment that `save` gave."""
        self._steps, self.watched, self.predicted = moment
        self._look()

    def warm_up(self) -> None:
        """Compile what `step` calls; the states stay what they are."""
        self._imagine(action=0)

    def _imagine(self, action: int) -> Any:
        return self._model.imagine(
            self.predicted, np.array([action], np.int32), self._temperature, self._key("predict")
        )

    def _watch(self, observation: Frame, action: int, is_first: bool, state: Any) -> None:
        self._steps += 1
        self.watched = self._model.observe(
            state, observation[None], np.array([action], np.int32), np.array([is_first]), self._key("watch")
        )

    def _look(self) -> None:
        self.frame = np.asarray(self._model.frame(self.predicted))[0]
        self.reward = float(np.asarray(self._model.reward(self.predicted))[0])
        self.continuation = float(np.asarray(self._model.continuation(self.predicted))[0])

    def _key(self, use: str) -> Key:
        return fold(self._keys[use], self._steps)


class PolicyPlayer:
    """An agent that plays by what the model makes of the real frames."""

    def __init__(self, model: Perception, agent: Agent, streams: Streams, temperature: float) -> None:
        self._model, self._agent = model, agent
        self._temperature = np.float32(temperature)
        self._root = streams.key("player/policy")
        self._steps = 0
        self._memory: Any = agent.initial(1)

    def reset(self) -> None:
        """A real episode begins."""
        self._memory = self._agent.initial(1)

    def save(self) -> tuple[int, Any]:
        """What `load` needs to go on from here exactly."""
        return self._steps, self._memory

    def load(self, moment: tuple[int, Any]) -> None:
        """Go back to a moment that `save` gave."""
        self._steps, self._memory = moment

    def act(self, watched: Any) -> int:
        """The action in the state `watched` of the world model."""
        self._steps += 1
        action, self._memory = self._choose(watched)
        return int(np.asarray(action)[0])

    def warm_up(self, watched: Any) -> None:
        """Compile what `act` calls; the memory stays what it is."""
        self._choose(watched)

    def _choose(self, watched: Any) -> tuple[Any, Any]:
        features = self._model.features(watched)
        action, memory, _ = self._agent.act(features, self._memory, self._temperature, fold(self._root, self._steps))
        return action, memory
