"""The RSSM's loss has these parts: images, rewards, continuations, and the KL between posterior and prior."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import tensorflow as tf

from worldmodels.models.config import HeadConfig, LayerStyle
from worldmodels.models.distributions import (
    BINS,
    bernoulli_nll,
    normal_nll,
    scale_gradient,
    symexp,
    symlog,
    two_hot_mean,
    two_hot_nll,
)
from worldmodels.models.networks.layers import ELU, MLP
from worldmodels.models.precision import full
from worldmodels.models.rssm.latents import CategoricalLatents, GaussianLatents

TRANSFORMS = {
    "none": (tf.identity, tf.identity),
    "tanh": (tf.tanh, lambda x: tf.atanh(tf.clip_by_value(x, -0.999, 0.999))),
    "symlog": (symlog, symexp),
}
"""The transforms of a reward before it is regressed, each with its inverse; that of tanh reaches 3.8 only."""


class RewardHead(MLP):
    """The mean of a unit-variance normal over the squashed reward; starts at exactly 0."""

    outputs = 1

    def __init__(
        self, config: HeadConfig, features: int, transform: str, seeds: np.random.Generator, style: LayerStyle = ELU
    ):
        sizes = (features, *(config.units,) * config.layers, self.outputs)
        super().__init__(sizes, seeds, "reward", zero_output=True, style=style)
        self.squash, self.unsquash = TRANSFORMS[transform]

    def loss(self, features: tf.Tensor, reward: tf.Tensor) -> tf.Tensor:
        """Return the loss (N,) for rewards (N,) in the environment's units."""
        return normal_nll(self(features)[:, 0], self.squash(reward))

    def reward(self, features: tf.Tensor) -> tf.Tensor:
        """Return the expected reward (N,) in the environment's units."""
        return self.unsquash(self(features)[:, 0])


class TwoHotRewardHead(RewardHead):
    """Classes of the squashed reward (`models/distributions.py`); expects exactly 0 at first."""

    outputs = BINS

    def loss(self, features: tf.Tensor, reward: tf.Tensor) -> tf.Tensor:
        return two_hot_nll(self(features), self.squash(reward))

    def reward(self, features: tf.Tensor) -> tf.Tensor:
        return self.unsquash(two_hot_mean(self(features)))


REWARD_HEADS = {"normal": RewardHead, "two_hot": TwoHotRewardHead}
"""The heads by `RSSMConfig.reward_distribution`."""


class ContinuationHead(MLP):
    """The probability that the episode goes on, without any discount."""

    def __init__(self, config: HeadConfig, features: int, seeds: np.random.Generator, style: LayerStyle = ELU):
        sizes = (features, *(config.units,) * config.layers, 1)
        super().__init__(sizes, seeds, "continuation", zero_output=True, style=style)

    def loss(self, features: tf.Tensor, continuation: tf.Tensor) -> tf.Tensor:
        """Return the loss (N,) for continuations (N,) in [0, 1]."""
        return bernoulli_nll(self(features)[:, 0], continuation)

    def probability(self, features: tf.Tensor) -> tf.Tensor:
        """Return the probability (N,) in [0, 1]."""
        return tf.sigmoid(self(features)[:, 0])


def image_loss(prediction: tf.Tensor, target: tf.Tensor) -> tf.Tensor:
    """Return half the squared error of pixels in [-0.5, 0.5], summed over each image: the mean over images, a scalar.

    The negative log-likelihood of unit-variance normals without its constant, so that a perfect image costs 0. Written
    so that these largest of all tensors are passed over as few times as can be: the gradient has the prediction's type.
    """
    count = tf.cast(tf.shape(target)[0], tf.float32)

    @tf.custom_gradient
    def loss(prediction: tf.Tensor) -> tuple[tf.Tensor, object]:
        error = full(prediction) - target

        def gradient(upstream: tf.Tensor) -> tf.Tensor:
            return tf.cast(error, prediction.dtype) * tf.cast(upstream / count, prediction.dtype)

        return tf.nn.l2_loss(error) / count, gradient

    return loss(prediction)


def balanced_kl(
    latents: CategoricalLatents | GaussianLatents,
    posterior: tf.Tensor,
    prior: tf.Tensor,
    balance: float,
    free_nats: float,
) -> tuple[tf.Tensor, tf.Tensor]:
    """Return KL(posterior || prior), whose gradient trains the prior by the share `balance`, the posterior by the rest.

    Balancing and free nats as in DreamerV2 and V3: both halves have the same value, so one KL with scaled gradients is
    the sum of the two. A step whose KL is below `free_nats` gives no gradient.

    Returns:
        The KL of each step (N,), and the loss (N,).
    """
    kl = latents.kl(scale_gradient(posterior, 1.0 - balance), scale_gradient(prior, balance))
    return kl, tf.maximum(kl, free_nats) if free_nats else kl


def add_in_pairs(losses: Iterable[tf.Tensor]) -> tf.Tensor:
    """Return the sum of scalars, always added in the same order (see `models/graph.py`)."""
    first, *others = losses
    return sum(others, start=first)
