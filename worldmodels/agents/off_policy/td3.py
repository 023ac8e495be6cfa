"""Twin delayed DDPG is DDPG with three remedies against overestimated values (Fujimoto et al. 2018).

Twin critics: the target takes the smaller of two target critics. Delayed updates: policy and target networks move once
in `policy_delay` updates of the critics. Smoothing: noise on the target policy's action, so that values hold around it.

y = r + discount c min_i Q'_i(s', clip(mu'(s') + clip(noise)))
"""

from __future__ import annotations

import numpy as np
import tensorflow as tf

from worldmodels.agents.off_policy.agent import bellman_targets, critic_loss
from worldmodels.agents.off_policy.config import TD3Config
from worldmodels.agents.off_policy.ddpg import DeterministicAgent, noisy_actions
from worldmodels.models import draws
from worldmodels.models.api import ModelSpec


def smoothed_actions(actions: tf.Tensor, noise: tf.Tensor, clip: float) -> tf.Tensor:
    """Return actions with noise added that is clipped to [-clip, clip]; they are clipped to [-1, 1]."""
    return noisy_actions(actions, tf.clip_by_value(noise, -clip, clip))


class TD3(DeterministicAgent):
    """A deterministic policy that climbs the first of two critics."""

    def __init__(self, config: TD3Config, spec: ModelSpec, seed: np.ndarray):
        super().__init__(config, spec, seed, critics=2)

    def _update(self, batch, seed) -> tuple[dict[str, tf.Tensor], tf.Tensor]:
        targets = self._targets(batch, seed)
        with tf.GradientTape() as tape:
            values = self.critics(batch.features, batch.actions)
            loss = critic_loss(values, targets)
        is_due = tf.equal(self.critic_optimizer.updates % self.config.policy_delay, 0)
        _, critic_finite = self.critic_optimizer.minimize(tape, loss)
        actor_loss, actor_finite = tf.cond(
            is_due, lambda: self._update_policy(batch.features), lambda: (tf.zeros(()), tf.constant(True))
        )
        figures = {"critic_loss": loss, "actor_loss": actor_loss, "q": tf.reduce_mean(values)}
        return figures, critic_finite & actor_finite

    def _targets(self, batch, seed) -> tf.Tensor:
        config = self.config
        actions = tf.tanh(self.target_actor(batch.next_features))
        noise = config.target_noise * draws.normal(actions.shape, seed)
        next_values = self.target_critics(batch.next_features, smoothed_actions(actions, noise, config.noise_clip))
        next_value = tf.reduce_min(next_values, 0)
        return bellman_targets(batch.rewards, batch.continuations, next_value, config.discount)

    def _update_policy(self, features: tf.Tensor) -> tuple[tf.Tensor, tf.Tensor]:
        """Update the policy and the target networks; return the loss of one update of `policy_delay`, and whether it
        was finite."""
        config = self.config
        with tf.GradientTape() as tape:
            loss = -tf.reduce_mean(self.critics(features, tf.tanh(self.actor(features)), count=1))
        _, finite = self.actor_optimizer.minimize(tape, loss)
        self._follow("critics", config.polyak)
        self._follow("actor", config.polyak)
        return config.policy_delay * loss, finite  # other updates give 0, and a mean over all is the loss
