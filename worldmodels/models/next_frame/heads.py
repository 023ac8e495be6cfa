"""Reward and continuation, read from what a network says of the next step as a whole."""

from __future__ import annotations

from typing import Literal

import keras
import numpy as np
import tensorflow as tf

from worldmodels.models.distributions import bernoulli_nll, categorical_nll, normal_nll, symexp, symlog
from worldmodels.models.layers import Layer
from worldmodels.models.next_frame.conv_layers import Linear
from worldmodels.models.precision import building_in

CLASSES = 3


class ClassReward(Layer):
    """The sign of the reward as one of three classes, -1, 0 and 1, as published."""

    def __init__(self, inputs: int, units: int, seeds: np.random.Generator):
        super().__init__(name="reward")
        initializer = keras.initializers.RandomNormal(0.0, units**-0.5, int(seeds.integers(2**31)))
        with keras.name_scope("reward"):
            self.hidden = Linear(inputs, units, seeds, "hidden")
            self.classes = self.add_weight(name="classes", shape=(units, CLASSES), initializer=initializer)

    def call(self, summary: tf.Tensor) -> tf.Tensor:
        return tf.matmul(tf.nn.relu(self.hidden(summary)), self.classes)

    def loss(self, summary: tf.Tensor, reward: tf.Tensor, cutoff: float) -> tf.Tensor:
        """Return the loss (N,) in nats less `cutoff`, at least 0, for rewards (N,) of which only the sign counts."""
        # A reward that is not a number is neither, and must show in the loss all the same.
        labels = 1 + tf.cast(reward > 0.0, tf.int32) - tf.cast(reward < 0.0, tf.int32)
        nats = categorical_nll(self(summary), labels)
        return tf.maximum(nats - cutoff, 0.0) + 0.0 * reward

    def reward(self, summary: tf.Tensor) -> tf.Tensor:
        """Return the most probable of -1, 0 and 1: (N,)."""
        return tf.cast(tf.argmax(self(summary), -1), tf.float32) - 1.0


class SymlogReward(Layer):
    """The reward in the world's own units, regressed as its symlog: the mean of a unit-variance normal; starts at 0."""

    def __init__(self, inputs: int, units: int, seeds: np.random.Generator):
        super().__init__(name="reward")
        with keras.name_scope("reward"):
            self.hidden = Linear(inputs, units, seeds, "hidden")
            with building_in("float32"):
                self.mean = Linear(units, 1, seeds, "mean")
        # Rewards are rare: from anything but 0 it would first have to find its way there.
        self.mean.kernel.assign(tf.zeros_like(self.mean.kernel))

    def call(self, summary: tf.Tensor) -> tf.Tensor:
        return self.mean(tf.nn.relu(self.hidden(summary)))[:, 0]

    def loss(self, summary: tf.Tensor, reward: tf.Tensor, cutoff: float) -> tf.Tensor:
        """Return the loss (N,); a cutoff in nats has no meaning here."""
        return normal_nll(self(summary), symlog(reward))

    def reward(self, summary: tf.Tensor) -> tf.Tensor:
        """Return the expected reward (N,)."""
        return symexp(self(summary))


class Continuation(Layer):
    """The probability that the episode goes on."""

    def __init__(self, inputs: int, units: int, seeds: np.random.Generator):
        super().__init__(name="continuation")
        with keras.name_scope("continuation"):
            self.hidden = Linear(inputs, units, seeds, "hidden")
            with building_in("float32"):
                self.logit = Linear(units, 1, seeds, "logit")

    def call(self, summary: tf.Tensor) -> tf.Tensor:
        return self.logit(tf.nn.relu(self.hidden(summary)))[:, 0]

    def loss(self, summary: tf.Tensor, continuation: tf.Tensor) -> tf.Tensor:
        """Return the loss (N,) in nats, for continuations (N,) in [0, 1]."""
        return bernoulli_nll(self(summary), continuation)

    def probability(self, summary: tf.Tensor) -> tf.Tensor:
        """Return the probability (N,) in [0, 1]."""
        return tf.sigmoid(self(summary))


def build_reward(
    kind: Literal["classes", "symlog"], inputs: int, units: int, seeds: np.random.Generator
) -> ClassReward | SymlogReward:
    return {"classes": ClassReward, "symlog": SymlogReward}[kind](inputs, units, seeds)
