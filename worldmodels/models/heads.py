"""Heads that read a scalar from features (N, F)."""

from __future__ import annotations

import numpy as np
import tensorflow as tf

from worldmodels.models.config import HeadConfig
from worldmodels.models.distributions import bernoulli_nll, normal_nll, symexp, symlog
from worldmodels.models.layers import MLP

TRANSFORMS = {
    "none": (tf.identity, tf.identity),
    "tanh": (tf.tanh, lambda x: tf.atanh(tf.clip_by_value(x, -0.999, 0.999))),
    "symlog": (symlog, symexp),
}
"""The transforms of a reward before it is regressed, each with its inverse; that of tanh reaches 3.8 only."""


class RewardHead(MLP):
    """The mean of a unit-variance normal over the squashed reward; starts at exactly 0."""

    def __init__(self, config: HeadConfig, features: int, transform: str, seeds: np.random.Generator):
        super().__init__((features, *(config.units,) * config.layers, 1), seeds, "reward", zero_output=True)
        self.squash, self.unsquash = TRANSFORMS[transform]

    def loss(self, features: tf.Tensor, reward: tf.Tensor) -> tf.Tensor:
        """Return the loss (N,) for rewards (N,) in the environment's units."""
        return normal_nll(self(features)[:, 0], self.squash(reward))

    def reward(self, features: tf.Tensor) -> tf.Tensor:
        """Return the expected reward (N,) in the environment's units."""
        return self.unsquash(self(features)[:, 0])


class ContinuationHead(MLP):
    """The probability that the episode goes on, without any discount."""

    def __init__(self, config: HeadConfig, features: int, seeds: np.random.Generator):
        super().__init__((features, *(config.units,) * config.layers, 1), seeds, "continuation", zero_output=True)

    def loss(self, features: tf.Tensor, continuation: tf.Tensor) -> tf.Tensor:
        """Return the loss (N,) for continuations (N,) in [0, 1]."""
        return bernoulli_nll(self(features)[:, 0], continuation)

    def probability(self, features: tf.Tensor) -> tf.Tensor:
        """Return the probability (N,) in [0, 1]."""
        return tf.sigmoid(self(features)[:, 0])
