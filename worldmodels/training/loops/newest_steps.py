"""The newest real steps of an agent, as it saw them, for a policy that learns from them besides imagination."""

from __future__ import annotations

from collections import deque
from typing import Any

import numpy as np
import tensorflow as tf

from worldmodels.acting.actor import PolicyOutput
from worldmodels.acting.build import Parts
from worldmodels.agents.api import Recent
from worldmodels.agents.dreamer.actor_critic import ActorCritic
from worldmodels.core.seeding import generator_state, restore_generator
from worldmodels.core.types import Step


class NewestSteps:
    """Keeps the newest steps with what the policy saw and said at each, and draws windows of them.

    Features are kept as they were: to compute them again takes time, and in so few steps the model changes little.

    Args:
        agent: the one whose policy collects.
        batch: windows B of an update.
        length: steps T of each.
    """

    def __init__(self, parts: Parts, agent: ActorCritic, batch: int, length: int) -> None:
        self._extra = agent.distribution.extra
        self._batch, self._length = batch, length
        self._generator = parts.streams.generator("newest steps")
        # Of each step, leading N: action, parameters, reward, is_first, is_last, is_terminal, and features.
        self._steps: deque[list[np.ndarray]] = deque(maxlen=agent.config.recent.steps)

    def add(self, step: Step, output: PolicyOutput) -> None:
        """Take in a step of all environments; one that is no policy's begins the record anew."""
        if self._extra not in output.extras:
            self._steps.clear()
            return
        chosen = step.action, output.extras[self._extra]
        arrived = step.reward, step.is_first, step.is_last, step.is_terminal
        self._steps.append([np.asarray(x) for x in (*chosen, *arrived, output.features)])

    def draw(self, update: int) -> Recent | None:
        """Return B windows for a policy update; None as long as there are not enough steps for one."""
        if len(self._steps) < self._length:
            return None
        begins = self._generator.integers(0, len(self._steps) - self._length + 1, self._batch).tolist()
        rows = self._generator.integers(0, len(self._steps[0][0]), self._batch).tolist()
        windows = [[self._steps[begin + t] for t in range(self._length)] for begin in begins]
        action, parameters, reward, is_first, is_last, is_terminal, features = (
            np.stack([[step[i][row] for step in window] for row, window in zip(rows, windows, strict=True)])
            for i in range(len(self._steps[0]))
        )
        # Where an environment could not be saved, an episode was cut off without a last step.
        cut = np.pad(is_first[:, 1:], ((0, 0), (0, 1)))
        fields = features, action, parameters, reward.astype(np.float32), is_last | cut, is_terminal
        return Recent(*map(tf.constant, fields))

    def save(self) -> dict[str, Any]:
        """Return the state as a tree."""
        steps = {f"{i:03d}": np.stack(arrays) for i, arrays in enumerate(zip(*self._steps, strict=True))}
        return {"generator": generator_state(self._generator), "steps": steps}

    def load(self, tree: dict[str, Any]) -> None:
        """Take over what `save` gave."""
        self._generator = restore_generator(tree["generator"])
        self._steps.clear()
        self._steps.extend(map(list, zip(*(arrays for _, arrays in sorted(tree["steps"].items())), strict=True)))
