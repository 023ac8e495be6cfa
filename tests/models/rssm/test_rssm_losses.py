from __future__ import annotations

import numpy as np
import pytest
import tensorflow as tf

from worldmodels.models.distributions import categorical_kl
from worldmodels.models.rssm.config import RSSMConfig
from worldmodels.models.rssm.latents import build_latents
from worldmodels.models.rssm.objectives import balanced_kl, image_loss

LATENTS = build_latents(RSSMConfig(latents=2, classes=3))
POSTERIOR, PRIOR = tf.random.stateless_normal((2, 4, 6), (1, 2))


def gradients(balance: float, free_nats: float) -> list[tf.Tensor]:
    with tf.GradientTape() as tape:
        tape.watch((POSTERIOR, PRIOR))
        _, loss = balanced_kl(LATENTS, POSTERIOR, PRIOR, balance, free_nats)
        total = tf.reduce_sum(loss)
    return tape.gradient(total, (POSTERIOR, PRIOR))


@pytest.mark.parametrize("kind", ["float32", "bfloat16"])
def test_the_gradient_of_the_image_loss_is_the_error_of_each_pixel(kind):
    prediction, target = tf.constant([[0.5, -0.25], [0.0, 1.0]]), tf.constant([[0.25, 0.25], [0.0, -1.0]])
    prediction = tf.cast(prediction, kind)
    with tf.GradientTape() as tape:
        tape.watch(prediction)
        loss = 3.0 * image_loss(prediction, target)
    gradient = tape.gradient(loss, prediction)
    assert gradient.dtype == kind
    # Three times the difference, over two images; all exact in either type.
    np.testing.assert_array_equal(tf.cast(gradient, tf.float32), [[0.375, -0.75], [0.0, 3.0]])


def test_image_loss_by_hand():
    # Two images of two pixels: 0.5 (1 + 4) and 0.5 (0 + 9).
    prediction, target = tf.constant([[[1.0, 2.0]], [[1.0, 2.0]]]), tf.constant([[[0.0, 4.0]], [[1.0, 5.0]]])
    assert float(image_loss(prediction, target)) == 3.5


def test_kl_is_summed_over_the_latents():
    kl, loss = balanced_kl(LATENTS, POSTERIOR, PRIOR, 0.8, 0.0)
    parts = categorical_kl(tf.reshape(POSTERIOR, (4, 2, 3)), tf.reshape(PRIOR, (4, 2, 3)))
    np.testing.assert_allclose(kl, tf.reduce_sum(parts, -1), rtol=1e-5)
    np.testing.assert_array_equal(kl, loss)


def test_balance_divides_the_gradient():
    posterior, prior = gradients(0.5, 0.0)
    posterior_share, prior_share = gradients(0.8, 0.0)
    np.testing.assert_allclose(posterior_share, 0.4 * posterior, rtol=1e-4, atol=1e-7)
    np.testing.assert_allclose(prior_share, 1.6 * prior, rtol=1e-4, atol=1e-7)


def test_free_nats_silence_small_divergences():
    kl, loss = balanced_kl(LATENTS, POSTERIOR, PRIOR, 0.8, 0.7)
    free = kl.numpy() < 0.7
    assert 0 < free.sum() < 4
    np.testing.assert_allclose(loss.numpy()[free], 0.7)
    for gradient in gradients(0.8, 0.7):
        assert not gradient.numpy()[free].any()
        assert gradient.numpy()[~free].any()


@pytest.mark.parametrize("classes", [0, 3])
def test_divergence_from_itself_is_zero(classes):
    latents = build_latents(RSSMConfig(latents=2, classes=classes))
    statistics = tf.random.stateless_normal((4, latents.statistics_size), (1, 2))
    np.testing.assert_allclose(latents.kl(statistics, statistics), np.zeros(4), atol=1e-6)


def test_gaussian_latents_by_hand():
    latents = build_latents(RSSMConfig(latents=1, classes=0))
    # A raw deviation of 0 is 2 sigmoid(0) + 0.1.
    assert latents.sample(tf.constant([[3.0, 0.0]]), tf.constant([[2.0]]), 0.5).numpy()[0, 0] == pytest.approx(4.1)
    assert latents.sample(tf.constant([[3.0, 0.0]]), tf.constant([[2.0]]), 0.0).numpy()[0, 0] == 3.0
