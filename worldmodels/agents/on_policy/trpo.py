"""Trust region policy optimisation takes the longest safe step along the natural gradient (Schulman et al. 2015)."""

from __future__ import annotations

import numpy as np
import tensorflow as tf

from worldmodels.agents.networks.bodies import BodySettings
from worldmodels.agents.on_policy.agent import OnPolicyAgent
from worldmodels.agents.on_policy.config import TRPOConfig
from worldmodels.agents.on_policy.natural_gradient import (
    backtrack,
    conjugate_gradient,
    fisher_vector_product,
    from_vector,
    longest_step,
    to_vector,
)
from worldmodels.agents.on_policy.samples import Samples, weighted_mean
from worldmodels.models.api import ModelSpec
from worldmodels.models.optimizers.optimizer import Optimizer


class TRPO(OnPolicyAgent):
    """An agent whose policy changes by a given KL with each step, however its weights are scaled."""

    config: TRPOConfig

    def __init__(self, config: TRPOConfig, spec: ModelSpec, seed: np.ndarray):
        super().__init__(config, spec, seed, BodySettings(config.images, config.vectors, config.style))
        self._policy_weights = list(self.network.policy_weights.values())
        self.optimizers["value_optimizer"] = Optimizer(self.network.value_weights, config.value_optimizer)

    def improve(self, samples: Samples, seed: tf.Tensor, imagined: bool) -> tuple[dict[str, tf.Tensor], tf.Tensor]:
        with tf.GradientTape() as tape:
            old = self.policy(samples)
            loss = self._surrogate_loss(old, tf.stop_gradient(old), samples)
        gradient = to_vector(tape.gradient(loss, self._policy_weights))
        step = self._natural_step(gradient, samples)
        share, backtracks = self._take(step, old, loss, samples)
        value = self.fit_value(samples, self.optimizers["value_optimizer"], self.config.value_steps)
        new = self.policy(samples)
        figures = {
            "policy_loss": self._surrogate_loss(new, old, samples),
            "entropy": weighted_mean(self.distribution.entropy(old), samples.weights),
            "kl": self._kl(old, new, samples),
            "gradient_norm": tf.norm(gradient),
            "step_share": share,
            "backtracks": tf.cast(backtracks, tf.float32),
        }
        finite = tf.reduce_all(tf.math.is_finite(step)) & tf.math.is_finite(loss)
        return figures | value.figures, finite & value.finite

    def _natural_step(self, gradient: tf.Tensor, samples: Samples) -> tf.Tensor:
        """Return the step against the gradient that costs `kl_limit` by the quadratic estimate."""

        def product(vector: tf.Tensor) -> tf.Tensor:
            changed = fisher_vector_product(
                lambda: self.policy(samples), self._policy_weights, vector, self.distribution, samples.weights
            )
            return changed + self.config.damping * vector

        direction = conjugate_gradient(product, -gradient, self.config.conjugate_gradient_steps)
        return longest_step(direction, product(direction), self.config.kl_limit) * direction

    def _take(self, step: tf.Tensor, old: tf.Tensor, loss: tf.Tensor, samples: Samples) -> tuple[tf.Tensor, tf.Tensor]:
        """Move the policy by as much of a step as is safe, and return its share and how often it was shortened."""
        before = [tf.identity(variable) for variable in self._policy_weights]

        def move(share: tf.Tensor) -> None:
            changes = from_vector(share * step, self._policy_weights)
            for variable, value, change in zip(self._policy_weights, before, changes, strict=True):
                variable.assign(value + change)

        def accepts(share: tf.Tensor) -> tf.Tensor:
            move(share)
            new = self.policy(samples)
            near = self._kl(old, new, samples) <= self.config.kl_limit
            return near & (self._surrogate_loss(new, old, samples) <= loss)

        share, backtracks = tf.constant(1.0), tf.constant(0)
        if self.config.line_search:
            share, backtracks = backtrack(accepts, self.config.backtrack_factor, self.config.backtrack_steps)
        move(share)
        return share, backtracks

    def _surrogate_loss(self, parameters: tf.Tensor, old: tf.Tensor, samples: Samples) -> tf.Tensor:
        """Return minus the return that is expected of new parameters, as far as samples of the old ones tell."""
        log_probability, before = (self.distribution.log_probability(x, samples.actions) for x in (parameters, old))
        ratio = tf.exp(log_probability - before)
        return -weighted_mean(ratio * samples.advantages, samples.weights)

    def _kl(self, old: tf.Tensor, new: tf.Tensor, samples: Samples) -> tf.Tensor:
        return weighted_mean(self.distribution.kl(old, new), samples.weights)
