"""The players besides the person: a policy, random actions, a recorded script, and the choice between them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

import numpy as np

from worldmodels.core.seeding import Streams, fold
from worldmodels.player.session.controls.box_controls import action_of
from worldmodels.player.session.settings import Settings
from worldmodels.player.session.snapshot import PolicyPanel
from worldmodels.player.session.worlds.model_world import ModelWorld
from worldmodels.player.session.worlds.state_tracker import StateTracker
from worldmodels.recordings.action_recording import Action, box_action

if TYPE_CHECKING:
    from worldmodels.agents.api import Agent

YOU = "you"
NO_PLAYER = "there is no other player here"


class Player(Protocol):
    """A player chooses actions instead of the person."""

    name: str
    """One word: "policy"."""
    title: str
    """The same in a sentence: "the policy"."""

    @property
    def begins_episode(self) -> bool:
        """Whether the player continues in a new episode although this one is not over."""

    def reset(self) -> None:
        """Begin a real episode, whose first frame was observed."""

    def advance(self) -> None:
        """Go on to the next observed frame, after an action of any player."""

    def act(self) -> Action | None:
        """Return the action at the last frame; None after the player's end."""

    def save(self) -> Any:
        """Return the state for `load`, without the tracker's."""

    def load(self, saved: Any) -> None:
        """Return to a state of `save`."""


class _Decision(NamedTuple):
    """The decision of a policy at one frame."""

    action: Action
    memory: Any
    """Its memory before the frame."""
    memory_after: Any
    panel: PolicyPanel | None
    steps: int
    """Frames at which it has decided so far."""


class PolicyPlayer:
    """An agent that decides at each real frame, also while another player plays.

    Args:
        world: the model whose predictions the agent sees while there is no real world.

    Attributes:
        is_alone: says whether there is no real world now.
    """

    name, title, begins_episode = "policy", "the policy", False

    def __init__(
        self,
        agent: Agent,
        tracker: StateTracker,
        streams: Streams,
        settings: Settings,
        world: ModelWorld | None = None,
    ) -> None:
        self._agent, self.tracker, self._settings, self._world = agent, tracker, settings, world
        self._root = streams.key("player/policy")
        self.is_alone: Callable[[], bool] = lambda: False
        self._decision = _Decision(0, agent.initial(1), agent.initial(1), None, 0)

    @property
    def panel(self) -> PolicyPanel | None:
        """Its choice and value at the last frame, if the agent gives them."""
        return self._decision.panel

    def reset(self) -> None:
        self._decision = self._decide(self._agent.initial(1), self._decision.steps + 1)

    def advance(self) -> None:
        self._decision = self._decide(self._decision.memory_after, self._decision.steps + 1)

    def decide_again(self) -> None:
        """Decide again at the same frame, after a setting was changed."""
        self._decision = self._decide(self._decision.memory, self._decision.steps)

    def act(self) -> Action:
        return self._decision.action

    def save(self) -> _Decision:
        return self._decision

    def load(self, saved: _Decision) -> None:
        self._decision = saved

    def _decide(self, memory: Any, steps: int) -> _Decision:
        state = self._world.predicted if self._world and self.is_alone() else self.tracker.state
        features = self.tracker.representation.features(state)
        temperature = np.float32(self._settings.policy_temperature)
        actions, after, extras = self._agent.act(features, memory, temperature, fold(self._root, steps))
        action = action_of(np.asarray(actions)[0])
        return _Decision(action, memory, after, _policy_panel(action, extras), steps)


class RandomPlayer:
    """A player whose actions are uniformly random."""

    name, title, begins_episode = "random", "chance", False

    def __init__(self, num_actions: int, streams: Streams) -> None:
        self._num_actions, self._root = num_actions, streams.key("player/random")
        self._steps = 0

    def reset(self) -> None:
        self.advance()

    def advance(self) -> None:
        self._steps += 1

    def act(self) -> Action:
        return self._draw(np.random.default_rng(fold(self._root, self._steps).view(np.uint32)))

    def _draw(self, generator: np.random.Generator) -> Action:
        return int(generator.integers(self._num_actions))

    def save(self) -> int:
        return self._steps

    def load(self, saved: int) -> None:
        self._steps = saved


class RandomBoxPlayer(RandomPlayer):
    """The same for a box of so many numbers."""

    def _draw(self, generator: np.random.Generator) -> Action:
        return box_action(generator.uniform(-1.0, 1.0, self._num_actions))


class ScriptPlayer:
    """A player that repeats recorded actions, a list for each episode, and then ends."""

    name, title = "script", "the script"

    def __init__(self, episodes: Sequence[Sequence[Action]]) -> None:
        self._episodes = episodes
        self._position = (-1, 0)

    @property
    def begins_episode(self) -> bool:
        """Whether a new episode was begun here before the recorded one was over."""
        episode, step = self._position
        return episode + 1 < len(self._episodes) and step >= len(self._episodes[episode])

    def reset(self) -> None:
        self._position = (self._position[0] + 1, 0)

    def advance(self) -> None:
        self._position = (self._position[0], self._position[1] + 1)

    def act(self) -> Action | None:
        episode, step = self._position
        if episode < len(self._episodes) and step < len(self._episodes[episode]):
            return self._episodes[episode][step]
        return None

    def save(self) -> tuple[int, int]:
        return self._position

    def load(self, saved: tuple[int, int]) -> None:
        self._position = saved


def _policy_panel(action: Action, extras: dict[str, Any]) -> PolicyPanel | None:
    value = float(np.asarray(extras["value"])[0]) if "value" in extras else None
    if isinstance(action, tuple):
        return PolicyPanel((), value, action)
    if "logits" not in extras:
        return None
    logits = np.asarray(extras["logits"])[0].astype(np.float64)
    weights = np.exp(logits - logits.max())
    return PolicyPanel(tuple((weights / weights.sum()).tolist()), value)


class PlayerSelection:
    """The selection holds the present player and the next one; each change returns a message for people.

    Args:
        players: the players that can replace the person; the first is the next one.
        playing: the name of the player at the start; the person if there is no such player.
    """

    def __init__(self, players: Sequence[Player], playing: str = "") -> None:
        self._players = tuple(players)
        self._playing = next((player for player in players if player.name == playing), None)
        self._next = self._playing or next(iter(players), None)

    @property
    def name(self) -> str:
        """The name of the present player."""
        return self._playing.name if self._playing else YOU

    def toggle(self) -> str:
        """Give control to the next player, or back to the person."""
        if self._next is None:
            return NO_PLAYER
        self._playing = None if self._playing else self._next
        return f"{self._playing.title} plays" if self._playing else "you play"

    def choose_next(self, key: str) -> str:
        """Choose another player for the person, who starts it by a key of this name."""
        if self._next is None:
            return NO_PLAYER
        self._next = self._players[(self._players.index(self._next) + 1) % len(self._players)]
        if self._playing:
            self._playing = self._next
        return f"{self._next.title} plays when you press {key}"

    def take_over(self) -> str:
        """Give control to the person; the message is empty if nothing changes."""
        changed, self._playing = self._playing is not None, None
        return "you play" if changed else ""

    @property
    def begins_episode(self) -> bool:
        """Whether the player continues in a new episode although this one is not over."""
        return self._playing is not None and self._playing.begins_episode

    def act(self) -> tuple[Action | None, str]:
        """Return the player's action, or None if the person chooses, and a message, mostly empty."""
        if self._playing is None:
            return None, ""
        player, action = self._playing, self._playing.act()
        if action is not None:
            return action, ""
        self._playing = None
        return None, f"{player.title} has come to its end: you play"
