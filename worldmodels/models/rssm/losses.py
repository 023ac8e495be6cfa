"""The loss of the world model: what it gets wrong about images, rewards and endings, and what surprised its prior."""

from __future__ import annotations

import tensorflow as tf

from worldmodels.models.distributions import scale_gradient
from worldmodels.models.rssm.latents import CategoricalLatents, GaussianLatents


def image_loss(prediction: tf.Tensor, target: tf.Tensor) -> tf.Tensor:
    """Return half the squared error of pixels in [-0.5, 0.5], summed over each image: the mean over images, a scalar.

    The negative log-likelihood of unit-variance normals without its constant, so that a perfect image costs 0. Written
    so that these largest of all tensors are passed over as few times as can be.
    """
    return tf.nn.l2_loss(prediction - target) / tf.cast(tf.shape(target)[0], tf.float32)


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
