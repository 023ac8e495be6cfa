"""Trains a model-free learner whose first steps are held random actions, as those of a model's prefill are.

    python benchmarks/foreign_worlds/held_start.py STEPS train --config PRESET KEY=VALUE --logdir RUN

Everything behind STEPS is a command of `worldmodels`. For the first STEPS steps of all environments together the run
takes the actions of `training.prefill_policy: held`. The agent learns from these steps as from its own: its policy
says how probable the action was. `RUN/held_start.json` has the number of these steps and of the rewards among them.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any
from unittest import mock

import numpy as np

from worldmodels.acting.actor import Actor, PolicyOutput
from worldmodels.acting.build import Parts
from worldmodels.acting.exploring_actor import HeldActor
from worldmodels.acting.step_source import LocalSource
from worldmodels.cli import main
from worldmodels.core.files.writing import write_atomic
from worldmodels.core.specs import Observation
from worldmodels.core.types import Step
from worldmodels.envs import VectorEnv
from worldmodels.loading.quiet import load_tensorflow

NOTE = "held_start.json"


class HeldFirst:
    """Takes held random actions for so many steps of each environment, and another actor's afterwards."""

    def __init__(self, actor: Actor, held: HeldActor, steps: int):
        self._actor, self._held, self.left = actor, held, steps
        self.rewards = 0
        """The number of rewards above 0 that the held actions led to."""

    def act(self, observation: Observation, is_first: np.ndarray) -> PolicyOutput:
        output = self._actor.act(observation, is_first)
        if not self.left:
            return output
        action = self._held.act(observation, is_first).action
        self._actor.correct(action)
        return output.with_action(action)

    def correct(self, action: np.ndarray) -> None:
        self._actor.correct(action)

    def reinforce(self, reward: np.ndarray) -> bool:
        """Take note of the rewards (N,) to which the last actions led; return whether the last held ones did."""
        if not self.left:
            return False
        self.left -= 1
        self.rewards += int((reward > 0).sum())
        self._held.reinforce(reward)
        return self.left == 0

    def save(self) -> dict[str, Any]:
        parts = {"actor": self._actor.save(), "held": self._held.save()}
        return {"left": self.left, "rewards": self.rewards, **parts}

    def load(self, tree: dict[str, Any]) -> None:
        self.left, self.rewards = tree["left"], tree["rewards"]
        self._actor.load(tree["actor"])
        self._held.load(tree["held"])


class HeldStartSource(LocalSource):
    """A `StepSource` of this process whose first steps have held actions."""

    def __init__(self, steps: int, note: Path, parts: Parts, env: VectorEnv):
        super().__init__(parts, env)
        actions, generator = parts.model.spec.action.count, parts.streams.generator("prefill")
        held = HeldActor(env.num_envs, actions, generator)
        self._steps, self._note = steps, note
        self._first = HeldFirst(self._actor, held, -(-steps // env.num_envs))
        self._actor = self._first

    def steps(self, count: int, at_random: bool) -> Iterator[tuple[Step, PolicyOutput]]:
        return self._collector.steps(self._first, count, self._reinforce)

    def _reinforce(self, reward: np.ndarray) -> None:
        if self._first.reinforce(reward):
            write_atomic(self._note, json.dumps({"steps": self._steps, "rewards": self._first.rewards}) + "\n")


def train(steps: int, command: Sequence[str]) -> int:
    """Carry out a `train` command with so many held steps in front, and return its exit status."""
    load_tensorflow()
    from worldmodels.training import run as training

    note = Path(command[command.index("--logdir") + 1]) / NOTE
    with mock.patch.object(training, "LocalSource", partial(HeldStartSource, steps, note)):
        return main(list(command))


if __name__ == "__main__":
    sys.exit(train(int(sys.argv[1]), sys.argv[2:]))
