from __future__ import annotations

import numpy as np
import pytest
import tensorflow as tf
from image_spaces import image_spec

from worldmodels.agents.networks.bodies import BodySettings
from worldmodels.agents.networks.images import (
    PLAIN_NETWORKS,
    Convolution,
    Regularisation,
    build_image_network,
    seen_pixels,
)
from worldmodels.agents.networks.policy_network import PolicyNetwork
from worldmodels.core.errors import ConfigError
from worldmodels.models.config import HeadConfig, LayerStyle

IMAGES = tf.constant(np.random.default_rng(0).integers(0, 256, (3, 16, 16, 2)), tf.uint8)
NOISE, OTHER = tf.constant([1, 2]), tf.constant([3, 4])


def seeds() -> np.random.Generator:
    return np.random.default_rng(0)


@pytest.mark.parametrize(
    ("kind", "shape", "actions", "expected"),
    [
        # Two convolutions, a dense layer on 27 x 20 x 32, two heads.
        ("small", (105, 80, 12), 18, 9_632 + 25_632 + (17_280 * 128 + 128) + (128 * 18 + 18) + 129),
        ("nature", (64, 64, 3), 7, 6_176 + 32_832 + 36_928 + (1024 * 512 + 512) + (512 * 7 + 7) + 513),
        ("impala", (64, 64, 3), 7, 624_200),
        # Five stages of 32, 64, 64, 64, 64; the side goes 64, 32, 16, 8, 4, 2.
        (
            "impala_large",
            (64, 64, 3),
            7,
            (896 + 4 * 9_248) + (18_496 + 4 * 36_928) + 3 * 5 * 36_928 + (256 * 256 + 256) + (256 * 7 + 7) + 257,
        ),
    ],
)
def test_parameters_of_the_published_sizes(kind, shape, actions, expected):
    settings = BodySettings(kind, HeadConfig(), LayerStyle())
    network = PolicyNetwork(settings, image_spec((64, 64, 3), actions, shape), seeds())
    assert sum(int(np.prod(weight.shape)) for weight in network.trainable_weights) == expected


@pytest.mark.parametrize("kind", ["small", "impala"])
def test_any_size_of_image_gives_a_vector(kind):
    network = build_image_network(kind, (13, 16, 2), seeds())
    images = np.array(IMAGES[:, :13])
    out = network(tf.constant(images)).numpy()
    assert out.shape == (3, network.size)
    # The pixel in the last corner of the second image counts, and for that image alone.
    images[1, -1, -1] = 255 - images[1, -1, -1]
    changed = (network(tf.constant(images)).numpy() != out).any(1)
    assert changed.tolist() == [False, True, False]


def by_definition(network, images):
    """The Nature network on whole images, as it was published."""
    x = tf.cast(images, tf.float32) / 255
    for convolution, stride in zip(network.convolutions, (4, 2, 1), strict=True):
        x = tf.nn.relu(tf.nn.conv2d(x, convolution.kernel.value, stride, "VALID") + convolution.bias)
    return tf.nn.relu(tf.reshape(x, (len(images), -1)) @ network.kernel.value + network.bias)


@pytest.mark.parametrize("shape", [(2, 45, 38, 3), (3, 64, 64, 3), (1, 64, 84, 4)])
def test_nature_by_its_definition(shape):
    """Values and gradients, also on pictures whose sides its strides do not divide."""
    images = tf.constant(np.random.default_rng(1).integers(0, 256, shape), tf.uint8)
    network = build_image_network("nature", shape[1:], seeds())
    for convolution in network.convolutions:
        convolution.bias.assign(tf.linspace(-0.1, 0.1, convolution.bias.shape[0]))
    weights = [weight.value for weight in network.trainable_weights]
    with tf.GradientTape(persistent=True) as tape:
        out, expected = network(images), by_definition(network, images)
        losses = [tf.reduce_sum(x * tf.linspace(-1.0, 1.0, 512)) for x in (out, expected)]
    np.testing.assert_allclose(out, expected, rtol=1e-4, atol=1e-5)
    for gradient, wanted in zip(*(tape.gradient(loss, weights) for loss in losses), strict=True):
        np.testing.assert_allclose(gradient, wanted, rtol=1e-3, atol=1e-4 * np.abs(wanted).max())


def test_nature_leaves_out_what_reaches_nothing():
    assert [seen_pixels(side, PLAIN_NETWORKS["nature"].layers) for side in (36, 63, 64, 68, 84)] == [36, 60, 60, 68, 84]
    shapes = [convolution.shape for convolution in build_image_network("nature", (64, 84, 3), seeds()).convolutions]
    assert shapes == [(14, 20, 32), (6, 9, 64), (4, 7, 64)]
    # The averages of batch normalisation are over all outputs.
    normed = build_image_network("nature", (64, 64, 3), seeds(), Regularisation(batch_norm=True))
    assert normed.convolutions[0].shape == (15, 15, 32)


def test_bytes_count_as_shares_of_255():
    convolution = Convolution((16, 16, 2), (4, 3, 1, "SAME"), Regularisation(), seeds(), "conv")
    shares = tf.cast(IMAGES, tf.float32) / 255
    np.testing.assert_allclose(convolution(IMAGES, None), convolution(shares, None), rtol=1e-4, atol=1e-5)


def test_nature_refuses_images_that_are_too_small():
    with pytest.raises(ConfigError, match="needs images of at least 36 x 36 pixels, received 64 x 35"):
        build_image_network("nature", (64, 35, 3), seeds())
    assert build_image_network("nature", (36, 36, 3), seeds())(tf.zeros((1, 36, 36, 3), tf.uint8)).shape == (1, 512)


def test_signals_keep_their_size():
    """What comes out of many layers varies about as much as what went in: neither fades nor explodes."""
    network = build_image_network("impala", (16, 16, 2), seeds())
    assert 0.1 < float(tf.math.reduce_std(network(IMAGES))) < 10


def test_dropout_thins_while_learning_alone():
    plain = build_image_network("impala", (16, 16, 2), seeds())
    network = build_image_network("impala", (16, 16, 2), seeds(), Regularisation(dropout=0.3))
    np.testing.assert_array_equal(network(IMAGES), plain(IMAGES))
    learning = network(IMAGES, NOISE)
    assert np.abs(learning - network(IMAGES)).max() > 0.01
    np.testing.assert_array_equal(network(IMAGES, NOISE), learning)
    assert np.abs(learning - network(IMAGES, OTHER)).max() > 0.01


def test_one_mask_for_all_images_that_keeps_the_mean():
    convolution = Convolution((16, 16, 2), (64, 3, 1, "SAME"), Regularisation(dropout=0.25), seeds(), "conv")
    twice = tf.cast(tf.stack([IMAGES[0], IMAGES[0]]), tf.float32)
    whole, thin = convolution(twice, None).numpy(), convolution(twice, NOISE).numpy()
    dropped = thin[0] == 0
    np.testing.assert_array_equal(thin[1] == 0, dropped)
    assert dropped.mean() == pytest.approx(0.25, abs=0.01)
    np.testing.assert_allclose(thin[0][~dropped], whole[0][~dropped] / 0.75, rtol=1e-5)


def test_batch_norm_by_the_minibatch_while_learning_and_by_averages_while_acting():
    convolution = Convolution((16, 16, 2), (4, 3, 1, "SAME"), Regularisation(batch_norm=True), seeds(), "conv")
    images = tf.cast(IMAGES, tf.float32) / 255
    raw = tf.nn.conv2d(images, convolution.kernel.value, 1, "SAME").numpy()
    mean = raw.mean((0, 1, 2))
    untouched = convolution(images, None)
    np.testing.assert_allclose(untouched, raw / np.sqrt(1.001), rtol=1e-4, atol=1e-5)
    learning = convolution(images, NOISE).numpy()
    np.testing.assert_allclose(learning.mean((0, 1, 2)), np.zeros(4), atol=1e-5)
    np.testing.assert_allclose(learning.var((0, 1, 2)), raw.var((0, 1, 2)) / (raw.var((0, 1, 2)) + 1e-3), rtol=1e-3)
    np.testing.assert_allclose(convolution.mean, 0.05 * mean, rtol=1e-4)
    for _ in range(200):
        convolution(images, NOISE)
    np.testing.assert_allclose(convolution(images, None), learning, atol=0.02)
