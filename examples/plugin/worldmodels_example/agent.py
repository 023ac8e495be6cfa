"""An agent with one matrix, in which the contract of `agents/api.py` is easy to see."""

from __future__ import annotations

from typing import Any

import numpy as np
import tensorflow as tf

from worldmodels.agents.api import NO_EXPERIENCE, Agent
from worldmodels.agents.returns import lambda_returns
from worldmodels.imagination.rollout import RolloutOptions, rollout
from worldmodels.models.api import ModelSpec
from worldmodels.models.distributions import (
    categorical_entropy,
    categorical_log_probability,
    gumbel_noise,
    sample_categorical,
)
from worldmodels.models.graph import graph
from worldmodels.models.optimizers import Optimizer
from worldmodels.models.variables import load_variables, save_variables
from worldmodels_example.plugin import LinearPolicyConfig


class LinearPolicy(Agent):
    """An `Agent`: the logits of its actions are linear in the features, be they vectors or images."""

    experience = LinearPolicyConfig.experience

    def __init__(self, config: LinearPolicyConfig, spec: ModelSpec, seed: np.ndarray):
        self._config, self._scale = config, 1.0 if spec.feature_kind == "vector" else 1.0 / 255.0
        self._size = int(np.prod(spec.feature_shape))
        self._weights = {"policy": tf.Variable(tf.zeros((self._size, spec.num_actions)))}
        self._optimizer = Optimizer(self._weights, config.optimizer)

    @graph
    def act(self, features, state, temperature, seed) -> tuple[tf.Tensor, Any, dict[str, tf.Tensor]]:
        logits = self._logits(features)
        return sample_categorical(logits, gumbel_noise(tf.shape(logits), seed), temperature), state, {"logits": logits}

    @graph
    def update_from_imagination(self, model, starts, seed, experience=NO_EXPERIENCE) -> dict[str, tf.Tensor]:
        def policy(features, memory, seed):
            return self.act(features, memory, 1.0, seed)[0], memory, {}

        imagined = rollout(model, policy, starts.states, (), RolloutOptions(self._config.horizon), seed)
        # Whether a start's episode truly ended is known; only what follows has to be predicted.
        goes_on = tf.concat([starts.continuations[None], imagined.continuations[1:]], 0)
        none = tf.zeros_like(imagined.rewards)
        returns = lambda_returns(imagined.rewards, none, self._config.discount * goes_on, 1.0)
        advantages = returns - tf.reduce_mean(returns, 1, keepdims=True)
        reached = tf.math.cumprod(goes_on)[:-1]
        with tf.GradientTape() as tape:
            logits = tf.reshape(
                self._logits(tf.reshape(imagined.features[:-1], (-1, self._size))), (*returns.shape, -1)
            )
            log_probability = categorical_log_probability(logits, imagined.actions[:-1])
            entropy = categorical_entropy(logits)
            loss = -tf.reduce_mean(reached * (log_probability * advantages + self._config.entropy * entropy))
        norm, finite = self._optimizer.minimize(tape, loss)
        metrics = {
            "loss": loss,
            "gradient_norm": norm,
            "entropy": tf.reduce_mean(entropy),
            "return": tf.reduce_mean(returns),
            "finite": tf.cast(finite, tf.float32),
        }
        return {f"policy/{name}": value for name, value in metrics.items()}

    def _logits(self, features: tf.Tensor) -> tf.Tensor:
        rows = tf.reshape(tf.cast(features, tf.float32), (-1, self._size))
        return tf.matmul(rows * self._scale, self._weights["policy"])

    def save(self) -> dict[str, Any]:
        return {"weights": save_variables(self._weights), "optimizer": self._optimizer.save()}

    def load(self, tree: dict[str, Any]) -> None:
        load_variables(self._weights, tree["weights"], "the policy")
        self._optimizer.load(tree["optimizer"])
