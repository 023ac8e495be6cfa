"""Encoders turn images, uint8 (N, H, W, C), into embeddings, float32 (N, F); decoders turn features into images.

Each decoder has its own layout of pixels. `layer(features)` and `layer.target(images)` share it, so that the loss does
not rearrange large tensors. `layer.images(prediction)` converts it to uint8 images. A prediction has the precision of
the layer's products (see `precision.py`).
"""

from __future__ import annotations

import keras
import numpy as np
import tensorflow as tf

from worldmodels.core.errors import ConfigError
from worldmodels.models import precision
from worldmodels.models.config import ConvConfig, LayerStyle, PatchConfig
from worldmodels.models.networks.layers import ELU, Activation, Conv, Dense, Layer, TransposedConv


def to_float(images: tf.Tensor) -> tf.Tensor:
    """Return uint8 images as float32 in [-0.5, 0.5]."""
    return tf.cast(images, tf.float32) * (1 / 255) - 0.5


def to_image(values: tf.Tensor) -> tf.Tensor:
    """Return the inverse of `to_float`, rounded and clipped."""
    return tf.cast(tf.clip_by_value(values * 255 + 128.0, 0.0, 255.0), tf.uint8)


def to_patches(images: tf.Tensor, patch: int) -> tf.Tensor:
    """Return images (N, H, W, C) as patches (N, H / patch, W / patch, patch * patch * C).

    It equals `tf.nn.space_to_depth`, and takes a third of its time on a CPU.
    """
    _, height, width, channels = images.shape
    rows = tf.reshape(images, (-1, height // patch, patch, width // patch, patch * channels))
    patches = tf.transpose(rows, (0, 1, 3, 2, 4))
    return tf.reshape(patches, (-1, height // patch, width // patch, patch * patch * channels))


def from_patches(patches: tf.Tensor, patch: int) -> tf.Tensor:
    """Return the inverse of `to_patches`."""
    _, height, width, depth = patches.shape
    rows = tf.transpose(tf.reshape(patches, (-1, height, width, patch, depth // patch)), (0, 1, 3, 2, 4))
    return tf.reshape(rows, (-1, height * patch, width * patch, depth // patch**2))


def build_encoder(
    config: ConvConfig | PatchConfig, shape: tuple[int, int, int], seeds: np.random.Generator, style: LayerStyle = ELU
) -> Layer:
    """Return the encoder for images of `shape` (H, W, C); its attribute `size` is that of an embedding."""
    check_image_shape(config, shape)
    return {"conv": ConvEncoder, "patch": PatchEncoder}[config.kind](config, shape, seeds, style)


def check_image_shape(config: ConvConfig | PatchConfig, shape: tuple[int, int, int]) -> None:
    """Raise ConfigError where images of `shape` (H, W, C) do not fit the layout."""
    if isinstance(config, ConvConfig) and tuple(shape[:2]) != (64, 64):
        raise ConfigError(f"The 'conv' image layout needs images of 64 x 64 pixels, received {shape[0]} x {shape[1]}.")
    if isinstance(config, PatchConfig) and (shape[0] % (2 * config.patch) or shape[1] % (2 * config.patch)):
        raise ConfigError(
            f"The 'patch' image layout needs sides that are multiples of {2 * config.patch}, twice its patch; "
            f"received {shape[0]} x {shape[1]}."
        )


class ConvEncoder(Layer):
    """DreamerV2's encoder: four convolutions of size 4 and stride 2; the side goes 64, 31, 14, 6, 2."""

    def __init__(
        self, config: ConvConfig, shape: tuple[int, int, int], seeds: np.random.Generator, style: LayerStyle = ELU
    ):
        super().__init__(name="encoder")
        depths = [shape[2], *(config.depth * 2**i for i in range(4))]
        self.size = 2 * 2 * depths[-1]
        with keras.name_scope("encoder"):
            self.convs = [
                Conv(inputs, units, 4, seeds, f"conv_{i}")
                for i, (inputs, units) in enumerate(zip(depths[:-1], depths[1:], strict=True))
            ]
            self.activations = [Activation(units, style, f"activation_{i}") for i, units in enumerate(depths[1:])]

    def call(self, images: tf.Tensor) -> tf.Tensor:
        x = to_float(images)
        for conv, activation in zip(self.convs, self.activations, strict=True):
            x = activation(conv(x))
        return tf.reshape(x, (-1, self.size))


class PatchEncoder(Layer):
    """An encoder with one dense layer on each patch, then one on each square of 2 x 2 patches.

    Attributes:
        grid: rows and columns of patches.
        depth: units that each patch has after the first layer.
    """

    def __init__(
        self, config: PatchConfig, shape: tuple[int, int, int], seeds: np.random.Generator, style: LayerStyle = ELU
    ):
        super().__init__(name="encoder")
        self.patch, self.depth = config.patch, config.depth
        height, width = shape[0] // config.patch, shape[1] // config.patch
        self.size = height * width // 4 * 2 * config.depth
        self.grid = (height, width)
        with keras.name_scope("encoder"):
            self.near = Dense(config.patch**2 * shape[2], config.depth, seeds, "near")
            self.far = Dense(4 * config.depth, 2 * config.depth, seeds, "far")
            self.after_near = Activation(config.depth, style, "after_near")
            self.after_far = Activation(2 * config.depth, style, "after_far")

    def call(self, images: tf.Tensor) -> tf.Tensor:
        x = to_float(to_patches(images, self.patch))
        x = self.after_near(self.near(tf.reshape(x, (-1, x.shape[-1]))))
        x = to_patches(tf.reshape(x, (-1, *self.grid, self.depth)), 2)
        x = self.after_far(self.far(tf.reshape(x, (-1, 4 * self.depth))))
        return tf.reshape(x, (-1, self.size))


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
