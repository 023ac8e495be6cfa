"""Plays without seeing: actions are held, in turn or at random, whatever the environment shows.

The best such policy of each native game is the least that a learner must exceed before it has learned to see.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from worldmodels.acting.actor import PolicyOutput
from worldmodels.core.configuration.ranges import Count
from worldmodels.core.configuration.sections import from_dict
from worldmodels.core.errors import ConfigError
from worldmodels.core.files.yaml_files import parse_value
from worldmodels.core.seeding import generator_state, restore_generator
from worldmodels.core.specs import Observation
from worldmodels.envs.config import EnvConfig

FILE = Path(__file__).with_name("blind_policies.yaml")


@dataclass(frozen=True)
class BlindPolicy:
    """A policy that sees nothing."""

    actions: tuple[Count, ...]
    """Actions that are held one after the other, or drawn with equal shares; one may be named several times."""
    hold: int = 1
    """Steps for which an action is held; if drawn, their mean, and they are geometrically distributed."""
    in_turn: bool = True
    """Whether the actions follow each other in their order, from the start of an episode; if not, they are drawn."""

    def __post_init__(self) -> None:
        if not self.actions:
            raise ConfigError("A blind policy has an action or more. Received none.")

    def words(self, meanings: Mapping[int, str] | tuple[str, ...]) -> str:
        """Return the policy in words, with the meanings of actions."""
        names = [meanings[action] for action in self.actions]
        if len(set(names)) == 1:
            return names[0]
        how = "in turn" if self.in_turn else "at random"
        held = "" if self.hold == 1 else f", each for {'' if self.in_turn else 'about '}{self.hold} steps"
        shares = [f"{name} ({names.count(name)}x)" if names.count(name) > 1 else name for name in dict.fromkeys(names)]
        return f"{', '.join(names if self.in_turn else shares)} {how}{held}"


@cache
def blind_policies() -> dict[str, BlindPolicy]:
    """Return the best blind policy that was found of each native game and mode, by "coinrun (easy)"."""
    tree = parse_value(FILE.read_text(), str(FILE))
    return {task: from_dict(BlindPolicy, values, f"the policy of {task}") for task, values in tree.items()}


def blind_policy(env: EnvConfig) -> BlindPolicy | None:
    """Return the blind policy of an environment; None if it is no native game, or a mixture of games."""
    return blind_policies().get(f"{env.game} ({env.distribution_mode})")


class BlindActor:
    """Plays a blind policy in N environments."""

    def __init__(self, policy: BlindPolicy, num_envs: int, generator: np.random.Generator) -> None:
        self._policy, self._generator = policy, generator
        self._steps = np.zeros(num_envs, np.int64)  # since an episode began
        self._action = np.zeros(num_envs, np.int32)

    def act(self, observation: Observation, is_first: np.ndarray) -> PolicyOutput:
        actions, hold = np.asarray(self._policy.actions, np.int32), self._policy.hold
        self._steps = np.where(is_first, 0, self._steps + 1)
        if self._policy.in_turn:
            self._action = actions[self._steps // hold % len(actions)]
        else:
            numbers = self._generator.random((2, len(is_first)))  # always as many, so that streams stay in step
            draws = is_first | (numbers[0] < 1 / hold)
            drawn = actions[(numbers[1] * len(actions)).astype(int)]
            self._action = np.where(draws, drawn, self._action)
        return PolicyOutput(self._action)

    def correct(self, action: np.ndarray) -> None:
        self._action = action

    def save(self) -> dict[str, Any]:
        return {"generator": generator_state(self._generator), "steps": self._steps, "action": self._action}

    def load(self, tree: dict[str, Any]) -> None:
        self._generator = restore_generator(tree["generator"])
        self._steps, self._action = tree["steps"], tree["action"]
