"""The random agent draws uniform actions: a baseline, and the agent of runs that train a model alone."""

from __future__ import annotations

from typing import Any

import numpy as np
import tensorflow as tf

from worldmodels.agents.api import NO_EXPERIENCE, Agent
from worldmodels.agents.config import RandomConfig
from worldmodels.models import draws
from worldmodels.models.api import ModelSpec


class RandomAgent(Agent):
    """An `Agent` (see `agents/api.py` for the methods) that ignores what it sees, whatever the temperature."""

    experience = RandomConfig.experience

    def __init__(self, config: RandomConfig, spec: ModelSpec, seed: np.ndarray):
        self._action = spec.action

    def act(self, features, state, temperature, seed) -> tuple[tf.Tensor, Any, dict[str, tf.Tensor]]:
        rows, spec = tf.shape(tf.nest.flatten(features)[0])[0], self._action
        if spec.is_discrete:
            return draws.uniform((rows,), seed, 0, spec.count, tf.int32), state, {}
        return draws.uniform((rows, spec.size), seed, -1.0, 1.0), state, {}

    def update_from_imagination(self, model, starts, seed, experience=NO_EXPERIENCE) -> dict[str, tf.Tensor]:
        return {}

    def update_from_rollouts(self, rollouts, seed) -> dict[str, tf.Tensor]:
        return {}

    def save(self) -> dict[str, Any]:
        return {}

    def load(self, tree: dict[str, Any]) -> None:
        pass
