from __future__ import annotations

import numpy as np
import pytest
import tensorflow as tf

from worldmodels.models.distributions import categorical_kl
from worldmodels.models.rssm.config import RSSMConfig
from worldmodels.models.rssm.latents import build_latents
from worldmodels.models.rssm.objectives import HarmoniousBalance, balanced_kl, image_loss, moved_pixels

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


def test_weights_count_the_errors_of_pixels():
    prediction, target = tf.constant([[1.0, 2.0], [1.0, 2.0]]), tf.constant([[0.0, 4.0], [1.0, 5.0]])
    weights = tf.constant([[2.0, 1.0], [7.0, 0.0]])
    with tf.GradientTape() as tape:
        tape.watch(prediction)
        loss = image_loss(prediction, target, weights)
    # Two images: 0.5 (2 * 1 + 1 * 4) and 0; the gradient of a pixel is its weight times its error, over two images.
    assert float(loss) == 1.5
    np.testing.assert_array_equal(tape.gradient(loss, prediction), [[1.0, -1.0], [0.0, 0.0]])


def test_a_pixel_moved_where_a_channel_changed_by_more_than_a_tenth_within_an_episode():
    images = np.full((1, 4, 1, 4, 2), 100, np.uint8)
    images[0, 1:, 0, 0, 1] = 126  # by 26 of 255
    images[0, 1:, 0, 1, 0] = 75  # by 25
    images[0, 2:, 0, 2, 0] = 0  # at the first frame of an episode
    images[0, 3, 0, 3] = 255
    is_first = np.array([[True, False, True, False]])
    moved = moved_pixels(tf.constant(images), tf.constant(is_first)).numpy()
    assert moved.shape == images.shape and moved.dtype == np.uint8
    expected = np.zeros((4, 4), np.uint8)
    expected[1, 0] = expected[3, 3] = 255
    for channel in range(2):
        np.testing.assert_array_equal(moved[0, :, 0, :, channel], expected)


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


def test_a_harmonious_balance_is_the_plain_sum_at_first_but_for_a_constant():
    balance = HarmoniousBalance(["image", "reward"])
    total = balance({"image": tf.constant(45.0), "reward": tf.constant(0.005)})
    assert float(total) == pytest.approx(45.005 + 2 * np.log(2), rel=1e-6)


def test_a_harmonious_balance_learns_to_divide_large_losses_and_to_lift_small_ones():
    balance = HarmoniousBalance(["image", "reward"])
    losses = {"image": tf.constant(45.0), "reward": tf.constant(0.0025)}
    for _ in range(4000):
        with tf.GradientTape() as tape:
            total = balance(losses)
        for scale, gradient in zip(
            balance.logarithms.values(), tape.gradient(total, balance.logarithms.values()), strict=True
        ):
            scale.assign_sub(0.1 * gradient)
    image, reward = (float(tf.exp(balance.logarithms[name])) for name in ("image", "reward"))
    # Both solve s^2 = L (1 + s).
    assert image == pytest.approx(45.98, rel=1e-2)
    assert reward == pytest.approx(0.0513, rel=1e-2)
    # So the reward's gradient weighs 900 times as much against the image's as it did.
    assert (1 / reward) / (1 / image) > 800
