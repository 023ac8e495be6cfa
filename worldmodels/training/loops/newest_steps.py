"""The newest real steps of an agent, with features and outputs of its policy, for updates in imagination."""

from __future__ import annotations

from collections import deque
from typing import Any

import numpy as np
import tensorflow as tf

from worldmodels.acting.actor import PolicyOutput
from worldmodels.agents.api import Recent
from worldmodels.core.seeding import generator_state, restore_generator
from worldmodels.core.types import Step

EXTRA = "extra_"
"""The prefix of the names of a policy's outputs, in a step that is kept."""


class NewestSteps:
    """Keeps the newest steps with the features and the outputs of the policy, and draws windows of them.

    Features are kept as they were: to compute them again takes time, and in so few steps the model changes little.

    Args:
        kept: the number of steps that are kept.
        generator: draws the windows.
        batch: windows B of an update.
        length: steps T of each.
    """

    def __init__(self, kept: int, generator: np.random.Generator, batch: int, length: int) -> None:
        self._generator, self._batch, self._length = generator, batch, length
        self._steps: deque[dict[str, np.ndarray]] = deque(maxlen=kept)

    def add(self, step: Step, output: PolicyOutput) -> None:
        """Take in a step of all environments; a step that no agent chose begins the record anew."""
        if output.features is None:
            self._steps.clear()
            return
        arrived = {name: getattr(step, name) for name in ("action", "reward", "is_first", "is_last", "is_terminal")}
        said = {EXTRA + name: value for name, value in output.extras.items()}
        kept = {"features": output.features, **arrived, **said}
        self._steps.append({name: np.asarray(value) for name, value in kept.items()})

    def draw(self) -> Recent | None:
        """Return B windows for a policy update; None as long as there are not enough steps for one."""
        if len(self._steps) < self._length:
            return None
        begins = self._generator.integers(0, len(self._steps) - self._length + 1, self._batch).tolist()
        rows = self._generator.integers(0, len(self._steps[0]["reward"]), self._batch).tolist()
        windows = [[self._steps[begin + t] for t in range(self._length)] for begin in begins]
        drawn = {
            name: np.stack([[step[name][row] for step in window] for row, window in zip(rows, windows, strict=True)])
            for name in self._steps[0]
        }
        # Where an environment could not be saved, an episode was cut off without a last step.
        cut = np.pad(drawn["is_first"][:, 1:], ((0, 0), (0, 1)))
        extras = {name.removeprefix(EXTRA): x for name, x in drawn.items() if name.startswith(EXTRA)}
        rewards, is_last = drawn["reward"].astype(np.float32), drawn["is_last"] | cut
        recent = Recent(drawn["features"], drawn["action"], extras, rewards, is_last, drawn["is_terminal"])
        return tf.nest.map_structure(tf.constant, recent)

    def save(self) -> dict[str, Any]:
        """Return the state as a tree."""
        names = self._steps[0] if self._steps else {}
        steps = {name: np.stack([step[name] for step in self._steps]) for name in names}
        return {"generator": generator_state(self._generator), "steps": steps}

    def load(self, tree: dict[str, Any]) -> None:
        """Take over what `save` gave."""
        self._generator = restore_generator(tree["generator"])
        self._steps.clear()
        names, arrays = list(tree["steps"]), tree["steps"].values()
        self._steps.extend(dict(zip(names, values, strict=True)) for values in zip(*arrays, strict=True))
