"""PPO's network: policy and value on one trunk, with a memory if it is asked for."""

from __future__ import annotations

import keras
import numpy as np
import tensorflow as tf

from worldmodels.agents.convolution import Regularisation
from worldmodels.agents.lstm import LSTM
from worldmodels.agents.networks import build_image_network
from worldmodels.agents.ppo_config import PPOConfig
from worldmodels.core.types import State
from worldmodels.models.api import ModelSpec
from worldmodels.models.layers import MLP, Dense, Layer
from worldmodels.models.precision import building_in


class PPONetwork(Layer):
    """The network of policy and value; both heads start at exactly 0: the uniform policy, and the value 0."""

    def __init__(self, config: PPOConfig, spec: ModelSpec, seeds: np.random.Generator):
        super().__init__(name="policy")
        self.sees_images = spec.feature_kind == "images"
        with keras.name_scope("policy"):
            if self.sees_images:
                regularisation = Regularisation(config.dropout, config.batch_norm)
                self.trunk = build_image_network(config.images, spec.feature_shape, seeds, regularisation)
                size = self.trunk.size
            else:
                hidden = (config.vectors.units,) * config.vectors.layers
                self.trunk = MLP((*spec.feature_shape, *hidden), seeds, "trunk")
                size = config.vectors.units
            self.lstm = LSTM(size, config.lstm, seeds, "lstm") if config.lstm else None
            with building_in("float32"):
                self.actor = Dense(config.lstm or size, spec.num_actions, None, "actor")
                self.critic = Dense(config.lstm or size, 1, None, "critic")

    def initial(self, batch: int) -> State:
        return self.lstm.initial(batch) if self.lstm else ()

    def step(self, features: tf.Tensor, memory: State) -> tuple[tf.Tensor, tf.Tensor, State]:
        """Return logits (B, actions), values (B,) and the new memory, for features (B, ...)."""
        x = self._see(features, None)
        if self.lstm:
            memory = self.lstm.step(x, memory)
            x = memory[0]
        return self.actor(x), self.critic(x)[:, 0], memory

    def evaluate(
        self, features: tf.Tensor, is_first: tf.Tensor, memory: State, noise: tf.Tensor
    ) -> tuple[tf.Tensor, tf.Tensor]:
        """Return logits (N, ..., actions) and values (N, ...) while learning.

        Args:
            features: (N, ...), or with an LSTM (N, T, ...), whole rollouts.
            is_first: bool, (N,) or (N, T).
            memory: before each rollout, leading N.
            noise: the seed of dropout masks, int32 (2,).
        """
        if self.lstm is None:
            x = self._see(features, noise)
            return self.actor(x), self.critic(x)[:, 0]
        rollouts, steps = is_first.shape
        x = self._see(tf.reshape(features, (-1, *features.shape[2:])), noise)
        # Time first, for the loop, only now: this is far smaller than images.
        x = tf.transpose(tf.reshape(x, (-1, steps, x.shape[-1])), (1, 0, 2))
        keep = 1.0 - tf.cast(tf.transpose(is_first), tf.float32)[..., None]
        x = tf.transpose(self.lstm.sequence(x, keep, memory), (1, 0, 2))
        x = tf.reshape(x, (-1, self.lstm.units))
        shape = (rollouts, steps)
        return tf.reshape(self.actor(x), (*shape, -1)), tf.reshape(self.critic(x), shape)

    def _see(self, features: tf.Tensor, noise: tf.Tensor | None) -> tf.Tensor:
        if self.sees_images:
            return self.trunk(features, noise)
        return tf.nn.elu(self.trunk(features))
