"""Deep deterministic policy gradient (Lillicrap et al. 2016): Q-learning where actions are numbers.

A critic learns Q by bootstrapping from slow copies of itself and of the policy, and the policy climbs the critic:

    y = r + discount c Q'(s', mu'(s'))        critic: minimise (Q(s, a) - y)^2        policy: maximise Q(s, mu(s))

The shared part of DDPG and TD3: a deterministic policy with a slow copy, and exploration noise.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import tensorflow as tf

from worldmodels.agents.off_policy.agent import OffPolicyAgent, bellman_targets, critic_loss
from worldmodels.agents.off_policy.config import DDPGConfig
from worldmodels.models import draws
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
        noise = draws.normal(tf.shape(actions), seed)
        return noisy_actions(actions, temperature * self.config.noise * noise), state, {}


class DDPG(DeterministicAgent):
    """A deterministic policy that climbs one critic."""

    def __init__(self, config: DDPGConfig, spec: ModelSpec, seed: np.ndarray):
        super().__init__(config, spec, seed, critics=1)

    def _update(self, batch, seed) -> tuple[dict[str, tf.Tensor], tf.Tensor]:
        config = self.config
        next_actions = tf.tanh(self.target_actor(batch.next_features))
        next_values = self.target_critics(batch.next_features, next_actions)[0]
        targets = bellman_targets(batch.rewards, batch.continuations, next_values, config.discount)
        with tf.GradientTape() as tape:
            values = self.critics(batch.features, batch.actions)
            loss = critic_loss(values, targets)
        _, critic_finite = self.critic_optimizer.minimize(tape, loss)
        with tf.GradientTape() as tape:
            actor_loss = -tf.reduce_mean(self.critics(batch.features, tf.tanh(self.actor(batch.features))))
        _, actor_finite = self.actor_optimizer.minimize(tape, actor_loss)
        self._follow("critics", config.polyak)
        self._follow("actor", config.polyak)
        figures = {"critic_loss": loss, "actor_loss": actor_loss, "q": tf.reduce_mean(values)}
        return figures, critic_finite & actor_finite
