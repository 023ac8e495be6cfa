"""Vanilla policy gradient takes one step along the gradient of the return (Sutton et al. 2000)."""

from __future__ import annotations

import numpy as np
import tensorflow as tf

from worldmodels.agents.networks.bodies import BodySettings
from worldmodels.agents.on_policy.agent import OnPolicyAgent
from worldmodels.agents.on_policy.config import VPGConfig
from worldmodels.agents.on_policy.samples import Samples, weighted_mean
from worldmodels.models.api import ModelSpec
from worldmodels.models.optimizers import Optimizer


class VPG(OnPolicyAgent):
    """An agent that makes actions likelier by how much better they were than expected."""

    config: VPGConfig

    def __init__(self, config: VPGConfig, spec: ModelSpec, seed: np.ndarray):
        super().__init__(config, spec, seed, BodySettings(config.images, config.vectors, config.style))
        self.optimizers["optimizer"] = Optimizer(self.network.policy_weights, config.optimizer)
        self.optimizers["value_optimizer"] = Optimizer(self.network.value_weights, config.value_optimizer)

    def improve(self, samples: Samples, seed: tf.Tensor, imagined: bool) -> tuple[dict[str, tf.Tensor], tf.Tensor]:
        with tf.GradientTape() as tape:
            parameters = self.policy(samples)
            log_probability = self.distribution.log_probability(parameters, samples.actions)
            loss = -weighted_mean(log_probability * samples.advantages, samples.weights)
        norm, finite = self.optimizers["optimizer"].minimize(tape, loss)
        value = self.fit_value(samples, self.optimizers["value_optimizer"], self.config.value_steps)
        figures = {
            "policy_loss": loss,
            "entropy": weighted_mean(self.distribution.entropy(parameters), samples.weights),
            "kl": weighted_mean(self.distribution.kl(parameters, self.policy(samples)), samples.weights),
            "gradient_norm": norm,
        }
        return figures | value.figures, finite & value.finite
