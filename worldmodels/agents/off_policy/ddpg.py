"""Deep deterministic policy gradient (Lillicrap et al. 2016): Q-learning where actions are numbers.

A critic learns Q by bootstrapping from slow copies of itself and of the policy, and the policy climbs the critic:

    y = r + discount c Q'(s', mu'(s'))        critic: minimise (Q(s, a) - y)^2        policy: maximise Q(s, mu(s))
"""

from __future__ import annotations

import numpy as np
import tensorflow as tf

from worldmodels.agents.off_policy.agent import bellman_targets, critic_loss
from worldmodels.agents.off_policy.config import DDPGConfig
from worldmodels.agents.off_policy.deterministic_policy import DeterministicAgent
from worldmodels.models.api import ModelSpec


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
