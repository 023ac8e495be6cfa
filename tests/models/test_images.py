from __future__ import annotations

import numpy as np
import pytest
import tensorflow as tf

from worldmodels.core.errors import ConfigError
from worldmodels.models.config import ConvConfig, PatchConfig
from worldmodels.models.networks.images import ConvDecoder, build_decoder, build_encoder, to_float, to_image, to_patches

LAYOUTS = [ConvConfig(depth=2), PatchConfig(patch=8, depth=6)]


def random() -> np.random.Generator:
    return np.random.default_rng(5)


def images() -> np.ndarray:
    return random().integers(0, 256, (2, 64, 64, 3), np.uint8)


def test_every_pixel_value_survives_the_way_to_float_and_back():
    values = tf.constant(np.arange(256, dtype=np.uint8))
    np.testing.assert_array_equal(to_image(to_float(values)), values)
    assert to_float(values)[0] == -0.5
    assert to_float(values)[255] == 0.5


def test_what_lies_outside_is_clipped():
    assert to_image(tf.constant([-3.0, 3.0])).numpy().tolist() == [0, 255]


def test_patches_hold_the_squares_of_the_image():
    image = images()
    patches = to_patches(tf.constant(image), 8).numpy()
    assert patches.shape == (2, 8, 8, 192)
    np.testing.assert_array_equal(patches[1, 2, 3].reshape(8, 8, 3), image[1, 16:24, 24:32])


@pytest.mark.parametrize("layout", LAYOUTS, ids=lambda layout: layout.kind)
def test_encoder_gives_the_size_that_it_says(layout):
    encoder = build_encoder(layout, (64, 64, 3), random())
    pictures = images()
    embeddings = encoder(tf.constant(pictures)).numpy()
    assert embeddings.shape == (2, encoder.size)
    # A change in the middle of one image is seen, in the embedding of that image alone.
    pictures[1, 32, 32] = 255 - pictures[1, 32, 32]
    assert (encoder(tf.constant(pictures)).numpy() != embeddings).any(1).tolist() == [False, True]


@pytest.mark.parametrize("layout", LAYOUTS, ids=lambda layout: layout.kind)
def test_decoder_prediction_and_target_share_a_layout(layout):
    decoder = build_decoder(layout, 10, (64, 64, 3), random())
    target = decoder.target(tf.constant(images()))
    assert decoder(tf.ones((2, 10))).shape == target.shape
    np.testing.assert_array_equal(decoder.images(target), images())


def test_conv_decoder_starts_with_what_is_a_transposed_convolution():
    decoder = ConvDecoder(ConvConfig(depth=2), 7, (64, 64, 3), random())
    x = tf.random.stateless_normal((3, 7), (1, 2))
    hidden = decoder.dense(x)
    kernel = tf.transpose(tf.reshape(decoder.spread_kernel, (64, 5, 5, 8)), [1, 2, 3, 0])
    expected = tf.nn.conv2d_transpose(hidden[:, None, None], kernel, (3, 5, 5, 8), 2, "VALID")
    np.testing.assert_allclose(tf.reshape(hidden @ decoder.spread_kernel, (3, 5, 5, 8)), expected, atol=1e-5)


def test_conv_layout_refuses_other_sizes():
    with pytest.raises(ConfigError, match="64 x 64 pixels, received 84 x 84"):
        build_encoder(ConvConfig(), (84, 84, 3), random())


def test_patch_layout_refuses_sides_that_do_not_divide():
    with pytest.raises(ConfigError, match="multiples of 16.*received 64 x 72"):
        build_decoder(PatchConfig(patch=8), 10, (64, 72, 3), random())
