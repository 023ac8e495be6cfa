"""Gathers what an agent lives through, until it is enough to learn from."""

from __future__ import annotations

from typing import Any

import numpy as np
import tensorflow as tf

from worldmodels.agents.api import Experience
from worldmodels.core.types import Step
from worldmodels.runtime.actor import Moment, load_nest, save_nest


class ExperienceRecorder:
    """The moments since the last experience was made, as the agent saw them.

    They are kept, and saved, as they are: what a learned perception saw cannot be computed again once it has changed.
    A saved rollout of images is large (the stacks of 16 environments over 200 steps take 150 MB), so checkpoints are
    rather written while there is none.
    """

    def __init__(self) -> None:
        self._steps: list[dict[str, np.ndarray]] = []
        self._moments: list[Moment] = []

    def __len__(self) -> int:
        """Moments of each environment."""
        return len(self._steps)

    def add(self, step: Step, moment: Moment) -> None:
        fields = step._asdict()
        del fields["observation"]
        self._steps.append(fields)
        self._moments.append(moment)

    def cut(self) -> None:
        """The world does not go on from here: the newest moment is the last of its episodes."""
        if self._steps:
            self._steps[-1]["is_last"] = np.ones_like(self._steps[-1]["is_last"])

    def finish(self, step: Step, moment: Moment) -> Experience:
        """All moments and one more, which is not kept: the next experience begins with it, seen anew."""
        self.add(step, moment)
        fields = {name: np.stack([one[name] for one in self._steps]) for name in self._steps[0]}
        features, extras = tf.nest.map_structure(lambda *x: tf.stack(x), *[(one[0], one[1]) for one in self._moments])
        experience = Experience(
            features=features,
            actions=tf.constant(fields["action"], tf.int32),
            rewards=tf.constant(fields["reward"], tf.float32),
            continuations=tf.constant(~fields["is_terminal"], tf.float32),
            is_first=tf.constant(fields["is_first"]),
            is_last=tf.constant(fields["is_last"]),
            extras=extras,
            memory=self._moments[0].memory,
        )
        self._steps, self._moments = [], []
        return experience

    def save(self) -> dict[str, Any]:
        return {"steps": list(self._steps), "moments": [save_nest(moment) for moment in self._moments]}

    def load(self, tree: dict[str, Any], like: Moment) -> None:
        """Takes over what `save` gave; `like` is any moment of the same agent in the same world."""
        self._steps = list(tree["steps"])
        self._moments = [load_nest(like, moment) for moment in tree["moments"]]
