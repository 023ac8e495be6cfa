"""The shared part of DDPG and TD3: a deterministic policy with a slow copy, and exploration noise."""

from __future__ import annotations

from typing import Any

import numpy as np
import tensorflow as tf

from worldmodels.agents.off_policy.agent import OffPolicyAgent
from worldmodels.models.api import ModelSpec
from worldmodels.models.graph import graph


def noisy_actions(actions: tf.Tensor, noise: tf.Tensor) -> tf.Tensor:
    """Return actions with noise added, clipped to [-1, 1]."""
    return tf.clip_by_value(actions + noise, -1.0, 1.0)


class DeterministicAgent(OffPolicyAgent):
    """An `Agent` whose policy is deterministic; Gaussian noise on its actions explores. A subclass has `_update`."""

    figures = ("critic_loss", "actor_loss", "q")

    def __init__(self, config: Any, spec: ModelSpec, seed: np.ndarray, critics: int):
        super().__init__(config, spec, seed, critics, outputs=spec.action.size)
        self.target_actor = self._policy("target_actor", spec.action.size)
        self._follow("actor", 0.0)

    @graph
    def act(self, features, state, temperature, seed) -> tuple[tf.Tensor, Any, dict[str, tf.Tensor]]:
        actions = tf.tanh(self.actor(self._seen(features)))
        noise = tf.random.stateless_normal(tf.shape(actions), seed)
        return noisy_actions(actions, temperature * self.config.noise * noise), state, {}
