"""Soft actor-critic rewards the policy for its entropy, too (Haarnoja et al. 2018).

The value of a state is soft: what the policy expects, and alpha for each nat of its entropy there.

    V(s) = E_a[min_i Q_i(s, a) - alpha log pi(a | s)]
    critics: minimise (Q_i(s, a) - y)^2,  y = r + discount c V'(s')        policy: maximise V(s)

V' is that of the target critics. In a box, one sample of the policy stands for the expectation, and its gradient goes
through the sample; choices are summed over (Christodoulou 2019).
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import tensorflow as tf

from worldmodels.agents.distributions.squashed_normal import mean_and_log_std, sample_squashed
from worldmodels.agents.off_policy.agent import Critics, OffPolicyAgent, bellman_targets, critic_loss
from worldmodels.agents.off_policy.config import SACConfig
from worldmodels.models import draws
from worldmodels.models.api import ModelSpec
from worldmodels.models.distributions import gumbel_noise, sample_categorical
from worldmodels.models.graph import graph


def soft_values(values: tf.Tensor, log_probability: tf.Tensor, alpha: tf.Tensor | float) -> tf.Tensor:
    """Return the soft values (B,) of states, from critics' values (C, B) of one sampled action in each."""
    return tf.reduce_min(values, 0) - alpha * log_probability


def soft_values_of_choices(values: tf.Tensor, log_probabilities: tf.Tensor, alpha: tf.Tensor | float) -> tf.Tensor:
    """Return the soft values (B,) of states, from critics' values (C, B, choices) of all actions."""
    each = tf.reduce_min(values, 0) - alpha * log_probabilities
    return tf.reduce_sum(tf.exp(log_probabilities) * each, -1)


class SAC(OffPolicyAgent):
    """An `Agent` with a squashed normal policy in a box, and a categorical one where actions are choices."""

    figures = ("critic_loss", "actor_loss", "q", "entropy", "alpha")

    def __init__(self, config: SACConfig, spec: ModelSpec, seed: np.ndarray):
        super().__init__(config, spec, seed, critics=2, outputs=spec.action.count or 2 * spec.action.size)
        self._log_alpha = tf.Variable(math.log(config.alpha), dtype=tf.float32)
        self._target_entropy = (
            config.target_share * math.log(spec.action.count) if spec.action.is_discrete else -float(spec.action.size)
        )
        if config.learn_alpha:
            self._weights["alpha"] = {"log_alpha": self._log_alpha}
            self._alpha_optimizer = self._optimizer("alpha", config.alpha_optimizer)

    @graph
    def act(self, features, state, temperature, seed) -> tuple[tf.Tensor, Any, dict[str, tf.Tensor]]:
        outputs = self.actor(self._seen(features))
        if self.spec.action.is_discrete:
            noise = gumbel_noise(tf.shape(outputs), seed)
            return sample_categorical(outputs, noise, temperature), state, {"logits": outputs}
        mean, log_std = mean_and_log_std(outputs)
        noise = draws.normal(tf.shape(mean), seed)
        return tf.tanh(mean + temperature * tf.exp(log_std) * noise), state, {}

    def _update(self, batch, seed) -> tuple[dict[str, tf.Tensor], tf.Tensor]:
        next_seed, seed = tf.unstack(draws.split(seed, 2))
        alpha = tf.exp(self._log_alpha)
        next_values, _ = self._soft_values(self.target_critics, batch.next_features, alpha, next_seed)
        targets = bellman_targets(batch.rewards, batch.continuations, next_values, self.config.discount)
        with tf.GradientTape() as tape:
            values = self.critics(batch.features, batch.actions)
            loss = critic_loss(values, targets)
        _, critic_finite = self.critic_optimizer.minimize(tape, loss)
        with tf.GradientTape() as tape:
            soft, entropies = self._soft_values(self.critics, batch.features, alpha, seed)
            actor_loss = -tf.reduce_mean(soft)
        _, actor_finite = self.actor_optimizer.minimize(tape, actor_loss)
        entropy = tf.reduce_mean(entropies)
        finite = critic_finite & actor_finite & self._update_alpha(entropy)
        self._follow("critics", self.config.polyak)
        q = tf.reduce_mean(values)
        figures = {"critic_loss": loss, "actor_loss": actor_loss, "q": q, "entropy": entropy, "alpha": alpha}
        return figures, finite

    def _soft_values(
        self, critics: Critics, features: tf.Tensor, alpha: tf.Tensor, seed: tf.Tensor
    ) -> tuple[tf.Tensor, tf.Tensor]:
        """Return the soft values of states (B,), and the policy's entropies there (B,), or a sample of them."""
        outputs = self.actor(features)
        if self.spec.action.is_discrete:
            log_probabilities = tf.nn.log_softmax(outputs)
            entropies = -tf.reduce_sum(tf.exp(log_probabilities) * log_probabilities, -1)
            return soft_values_of_choices(critics.each(features), log_probabilities, alpha), entropies
        mean, log_std = mean_and_log_std(outputs)
        noise = draws.normal(mean.shape, seed)
        actions, log_probability = sample_squashed(mean, log_std, noise)
        return soft_values(critics(features, actions), log_probability, alpha), -log_probability

    def _update_alpha(self, entropy: tf.Tensor) -> tf.Tensor:
        """Raise the weight of entropy where there is less than wanted, and lower it where there is more; return whether
        that was finite."""
        if not self.config.learn_alpha:
            return tf.constant(True)
        with tf.GradientTape() as tape:
            loss = self._log_alpha * (tf.stop_gradient(entropy) - self._target_entropy)
        return self._alpha_optimizer.minimize(tape, loss)[1]
