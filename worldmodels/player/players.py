"""Who plays when no person does: a policy, chance, or a recorded script."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

import numpy as np

from worldmodels.core.seeding import Streams, fold
from worldmodels.player.settings import Settings
from worldmodels.player.snapshot import Mind
from worldmodels.player.worlds import ModelWorld, Watcher

if TYPE_CHECKING:
    from worldmodels.agents.api import Agent


class Player(Protocol):
    """Chooses what happens in the real world."""

    name: str
    """In a word: "policy"."""
    title: str
    """In a sentence: "the policy"."""

    def reset(self) -> None:
        """A real episode begins, and its first frame was seen."""

    def see(self) -> None:
        """The watcher has seen the next frame, whoever played."""

    def act(self) -> int | None:
        """The action at the frame that was seen last; None where this player has nothing more to say."""

    def save(self) -> Any:
        """What `load` needs to go on from here exactly, besides the watcher."""

    def load(self, moment: Any) -> None:
        """Go back to a moment that `save` gave."""


class _Thought(NamedTuple):
    """What a policy makes of one frame."""

    action: int
    before: Any
    """Its memory before the frame."""
    after: Any
    mind: Mind | None
    steps: int
    """Frames that it has thought of so far."""


class PolicyPlayer:
    """An agent that sees what a representation makes of the real frames. It thinks of each frame, whoever plays.

    Args:
        world: where there is no reality, the agent sees what this model predicts.
    """

    name, title = "policy", "the policy"

    def __init__(
        self, agent: Agent, watcher: Watcher, streams: Streams, settings: Settings, world: ModelWorld | None = None
    ) -> None:
        self._agent, self.watcher, self._settings, self._world = agent, watcher, settings, world
        self._root = streams.key("player/policy")
        self._thought = _Thought(0, agent.initial(1), agent.initial(1), None, 0)

    @property
    def mind(self) -> Mind | None:
        """What it makes of the frame that was seen last, if it says so."""
        return self._thought.mind

    def reset(self) -> None:
        self._thought = self._think(self._agent.initial(1), self._thought.steps + 1)

    def see(self) -> None:
        self._thought = self._think(self._thought.after, self._thought.steps + 1)

    def think_again(self) -> None:
        """Of the same frame, after a setting was changed."""
        self._thought = self._think(self._thought.before, self._thought.steps)

    def act(self) -> int:
        return self._thought.action

    def save(self) -> _Thought:
        return self._thought

    def load(self, moment: _Thought) -> None:
        self._thought = moment

    def _think(self, memory: Any, steps: int) -> _Thought:
        state = self._world.predicted if self._world else self.watcher.state
        features = self.watcher.representation.features(state)
        temperature = np.float32(self._settings.policy_temperature)
        action, after, extras = self._agent.act(features, memory, temperature, fold(self._root, steps))
        return _Thought(int(np.asarray(action)[0]), memory, after, _mind(extras), steps)


class RandomPlayer:
    """Uniformly random actions."""

    name, title = "random", "chance"

    def __init__(self, num_actions: int, streams: Streams) -> None:
        self._num_actions, self._root = num_actions, streams.key("player/random")
        self._steps = 0

    def reset(self) -> None:
        self.see()

    def see(self) -> None:
        self._steps += 1

    def act(self) -> int:
        words = fold(self._root, self._steps).view(np.uint32)
        return int(np.random.default_rng(words).integers(self._num_actions))

    def save(self) -> int:
        return self._steps

    def load(self, moment: int) -> None:
        self._steps = moment


class ScriptPlayer:
    """Actions that were recorded, one list for each episode; after those it has nothing to say."""

    name, title = "script", "the script"

    def __init__(self, episodes: Sequence[Sequence[int]]) -> None:
        self._episodes = episodes
        self._place = (-1, 0)

    def reset(self) -> None:
        self._place = (self._place[0] + 1, 0)

    def see(self) -> None:
        self._place = (self._place[0], self._place[1] + 1)

    def act(self) -> int | None:
        episode, step = self._place
        if episode < len(self._episodes) and step < len(self._episodes[episode]):
            return self._episodes[episode][step]
        return None

    def save(self) -> tuple[int, int]:
        return self._place

    def load(self, moment: tuple[int, int]) -> None:
        self._place = moment


def _mind(extras: dict[str, Any]) -> Mind | None:
    if "logits" not in extras:
        return None
    logits = np.asarray(extras["logits"])[0].astype(np.float64)
    weights = np.exp(logits - logits.max())
    value = float(np.asarray(extras["value"])[0]) if "value" in extras else None
    return Mind(tuple((weights / weights.sum()).tolist()), value)
