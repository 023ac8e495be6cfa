"""Decoders turn features, float32 (N, F), into images.

Each decoder has its own layout of pixels. `layer(features)` and `layer.target(images)` share it, so that the loss does
not rearrange large tensors. `layer.images(prediction)` converts it to uint8 images. A prediction has the precision of
the layer's products (see `precision.py`).
"""

from __future__ import annotations

import keras
import numpy as np
import tensorflow as tf

from worldmodels.models import precision
from worldmodels.models.config import ConvConfig, LayerStyle, PatchConfig
from worldmodels.models.networks.encoders import check_image_shape, from_patches, to_float, to_image, to_patches
from worldmodels.models.networks.layers import ELU, Activation, Dense, Layer, TransposedConv


def build_decoder(
    config: ConvConfig | PatchConfig,
    features: int,
    shape: tuple[int, int, int],
    seeds: np.random.Generator,
    style: LayerStyle = ELU,
) -> Layer:
    """Return the decoder from `features` values to images of `shape` (H, W, C)."""
    check_image_shape(config, shape)
    return {"conv": ConvDecoder, "patch": PatchDecoder}[config.kind](config, features, shape, seeds, style)


class ConvDecoder(Layer):
    """DreamerV2's decoder: a dense layer and four transposed convolutions; the side goes 1, 5, 13, 30, 64.

    The first one reads a side of 1, where it equals a dense layer. As a dense layer it is ten times as fast.
    """

    def __init__(
        self,
        config: ConvConfig,
        features: int,
        shape: tuple[int, int, int],
        seeds: np.random.Generator,
        style: LayerStyle = ELU,
    ):
        super().__init__(name="decoder")
        depth = config.depth
        layers = [(4 * depth, 2 * depth, 5), (2 * depth, depth, 6), (depth, shape[2], 6)]
        with keras.name_scope("decoder"):
            self.dense = Dense(features, 32 * depth, seeds, "dense")
            self.spread_kernel = self.weight("spread_kernel", (32 * depth, 5 * 5 * 4 * depth), seeds)
            self.spread_bias = self.weight("spread_bias", (4 * depth,))
            self.convs = [TransposedConv(*layer, seeds, f"conv_{i}") for i, layer in enumerate(layers)]
            self.activations = [Activation(units, style, f"activation_{i}") for i, (units, _, _) in enumerate(layers)]

    def call(self, features: tf.Tensor) -> tf.Tensor:
        x = precision.matmul(self.dense(features), self.spread_kernel, self.precision)
        x = precision.add_bias(tf.reshape(x, (-1, 5, 5, self.spread_bias.shape[0])), self.spread_bias)
        for conv, activation in zip(self.convs, self.activations, strict=True):
            x = conv(activation(x))
        return x

    def target(self, images: tf.Tensor) -> tf.Tensor:
        return to_float(images)

    def images(self, prediction: tf.Tensor) -> tf.Tensor:
        return to_image(precision.full(prediction))


class PatchDecoder(Layer):
    """The patch encoder backwards: all squares of 2 x 2 patches, then each patch, then its pixels."""

    def __init__(
        self,
        config: PatchConfig,
        features: int,
        shape: tuple[int, int, int],
        seeds: np.random.Generator,
        style: LayerStyle = ELU,
    ):
        super().__init__(name="decoder")
        self.patch, self.depth = config.patch, config.depth
        self.grid = (shape[0] // config.patch // 2, shape[1] // config.patch // 2)
        with keras.name_scope("decoder"):
            self.dense = Dense(features, self.grid[0] * self.grid[1] * 2 * config.depth, seeds, "dense")
            self.far = Dense(2 * config.depth, 4 * config.depth, seeds, "far")
            self.near = Dense(config.depth, config.patch**2 * shape[2], seeds, "near")
            self.after_dense = Activation(2 * config.depth, style, "after_dense")
            self.after_far = Activation(config.depth, style, "after_far")

    def call(self, features: tf.Tensor) -> tf.Tensor:
        x = self.after_dense(tf.reshape(self.dense(features), (-1, 2 * self.depth)))
        x = from_patches(tf.reshape(self.far(x), (-1, *self.grid, 4 * self.depth)), 2)
        x = self.near(self.after_far(tf.reshape(x, (-1, self.depth))))
        return tf.reshape(x, (-1, 2 * self.grid[0], 2 * self.grid[1], x.shape[-1]))

    def target(self, images: tf.Tensor) -> tf.Tensor:
        return to_float(to_patches(images, self.patch))

    def images(self, prediction: tf.Tensor) -> tf.Tensor:
        return from_patches(to_image(precision.full(prediction)), self.patch)
