"""SimPLe's networks are built from these layers; images are float32 (N, H, W, channels) in every precision."""

from __future__ import annotations

from collections.abc import Sequence

import keras
import numpy as np
import tensorflow as tf

from worldmodels.models import precision
from worldmodels.models.networks.layers import Layer, layer_norm

SMALL = 64
"""Pixels below which a convolution is written as one matrix product: TensorFlow's own is slow on few large kernels."""


class PublishedLayer(Layer):
    """Weights start uniform with a variance of 1.3 over the mean of fan-in and fan-out."""

    def kernel_of(self, shape: Sequence[int], seeds: np.random.Generator, name: str = "kernel") -> keras.Variable:
        initializer = keras.initializers.VarianceScaling(1.3, "fan_avg", "uniform", int(seeds.integers(2**31)))
        return self.add_weight(name=name, shape=tuple(shape), initializer=initializer)


class Linear(PublishedLayer):
    """A linear layer, y = x W + b, for (..., inputs)."""

    def __init__(self, inputs: int, units: int, seeds: np.random.Generator, name: str):
        super().__init__(name=name)
        self.kernel = self.kernel_of((inputs, units), seeds)
        self.bias = self.weight("bias", (units,))

    def call(self, x: tf.Tensor) -> tf.Tensor:
        rows = precision.dense(tf.reshape(x, (-1, x.shape[-1])), self.kernel, self.bias, self.precision)
        return tf.reshape(precision.full(rows), (-1, *x.shape[1:-1], rows.shape[-1]))


class LayerNorm(Layer):
    """A normalisation over the channels of each pixel."""

    def __init__(self, channels: int, name: str):
        super().__init__(name=name)
        self.scale = self.add_weight(name="scale", shape=(channels,), initializer="ones")
        self.offset = self.weight("offset", (channels,))

    def call(self, x: tf.Tensor) -> tf.Tensor:
        return layer_norm(x, self.scale, self.offset, 1e-6)


class Conv2D(PublishedLayer):
    """A convolution whose output is as large as its input over `stride`, rounded up."""

    def __init__(self, inputs: int, units: int, size: int, stride: int, seeds: np.random.Generator, name: str):
        super().__init__(name=name)
        self.stride = stride
        self.kernel = self.kernel_of((size, size, inputs, units), seeds)
        self.bias = self.weight("bias", (units,))

    def call(self, x: tf.Tensor) -> tf.Tensor:
        x = precision.conv2d(x, self.kernel, self.stride, "SAME", self.precision)
        return precision.full(precision.add_bias(x, self.bias))


class HalvingConv(PublishedLayer):
    """A convolution of size 4 and stride 2 with padding; both sides must be even."""

    def __init__(self, inputs: int, units: int, seeds: np.random.Generator, name: str):
        super().__init__(name=name)
        self.kernel = self.kernel_of((4, 4, inputs, units), seeds)
        self.bias = self.weight("bias", (units,))

    def call(self, x: tf.Tensor) -> tf.Tensor:
        if x.shape[1] * x.shape[2] > 4 * SMALL:
            x = precision.conv2d(x, self.kernel, 2, "SAME", self.precision)
            return precision.full(precision.add_bias(x, self.bias))
        patches = overlapping_patches(x)
        units = self.bias.shape[0]
        kernel = tf.reshape(self.kernel.value, (-1, units))
        rows = precision.dense(tf.reshape(patches, (-1, kernel.shape[0])), kernel, self.bias, self.precision)
        return tf.reshape(precision.full(rows), (-1, *patches.shape[1:3], units))


class DoublingConv(PublishedLayer):
    """A transposed convolution of size 4 and stride 2 that doubles both sides."""

    def __init__(self, inputs: int, units: int, seeds: np.random.Generator, name: str):
        super().__init__(name=name)
        self.kernel = self.kernel_of((4, 4, units, inputs), seeds)
        self.bias = self.weight("bias", (units,))

    def call(self, x: tf.Tensor) -> tf.Tensor:
        _, height, width, channels = x.shape
        units = self.bias.shape[0]
        if height * width > SMALL:
            shape = (tf.shape(x)[0], 2 * height, 2 * width, units)
            x = precision.conv2d_transpose(x, self.kernel, shape, 2, "SAME", self.precision)
            return precision.full(precision.add_bias(x, self.bias))
        kernel = tf.reshape(self.kernel.value, (-1, channels))
        patches = precision.full(precision.matmul(tf.reshape(x, (-1, channels)), kernel, self.precision, True))
        return tf.nn.bias_add(add_patches(tf.reshape(patches, (-1, height, width, 16 * units))), self.bias)


@tf.custom_gradient
def overlapping_patches(x: tf.Tensor) -> tuple[tf.Tensor, object]:
    """Return the 4 x 4 surroundings of each 2 x 2 square of (N, H, W, C): (N, H / 2, W / 2, 16 C), zeros outside."""
    patches = _lay_out(x)
    # TensorFlow's own gradient fills a tensor of zeros for every slice.
    return patches, lambda upstream: _add_up(tf.ensure_shape(upstream, patches.shape))


@tf.custom_gradient
def add_patches(patches: tf.Tensor) -> tuple[tf.Tensor, object]:
    """Return the adjoint of `overlapping_patches`: each 4 x 4 patch is added where it came from."""
    x = _add_up(patches)
    return x, lambda upstream: _lay_out(tf.ensure_shape(upstream, x.shape))


def _lay_out(x: tf.Tensor) -> tf.Tensor:
    _, height, width, channels = x.shape
    x = tf.pad(x, [[0, 0], [1, 1], [1, 1], [0, 0]])
    # Squares of 2 x 2, each with its neighbour below, then to the right.
    x = tf.reshape(x, (-1, height // 2 + 1, 2, width // 2 + 1, 2, channels))
    x = tf.stack([x[:, :-1], x[:, 1:]], 2)
    x = tf.stack([x[:, :, :, :, :-1], x[:, :, :, :, 1:]], 5)
    x = tf.transpose(x, (0, 1, 4, 2, 3, 5, 6, 7))
    return tf.reshape(x, (-1, height // 2, width // 2, 16 * channels))


def _add_up(patches: tf.Tensor) -> tf.Tensor:
    _, height, width, depth = patches.shape
    channels = depth // 16
    x = tf.reshape(patches, (-1, height, width, 2, 2, 2, 2, channels))
    x = tf.transpose(x, (0, 1, 3, 4, 2, 5, 6, 7))  # (N, h, half of patch, row, w, half of patch, column, C)
    left, right = tf.unstack(x, axis=5)
    none = [0, 0]
    x = tf.pad(left, [none] * 4 + [[0, 1], none, none]) + tf.pad(right, [none] * 4 + [[1, 0], none, none])
    top, bottom = tf.unstack(x, axis=2)
    x = tf.pad(top, [none, [0, 1]] + [none] * 4) + tf.pad(bottom, [none, [1, 0]] + [none] * 4)
    return tf.reshape(x, (-1, 2 * height + 2, 2 * width + 2, channels))[:, 1:-1, 1:-1]


class Inject(PublishedLayer):
    """A layer x * sigmoid(W e + b) + (V e + c), the same at every pixel, by which an action or a latent enters."""

    def __init__(self, inputs: int, channels: int, seeds: np.random.Generator, name: str):
        super().__init__(name=name)
        with keras.name_scope(name):
            self.gate = Linear(inputs, channels, seeds, "gate")
            self.shift = Linear(inputs, channels, seeds, "shift")

    def call(self, x: tf.Tensor, embedding: tf.Tensor) -> tf.Tensor:
        gate, shift = tf.sigmoid(self.gate(embedding)), self.shift(embedding)
        return x * gate[:, None, None] + shift[:, None, None]


class ActionEmbedding(Layer):
    """A vector for each action; action 0 has one like all others.

    They start almost equal, so that actions differ only by experience. Most of many actions have the same effect most
    of the time, and random differences would have to be unlearned.
    """

    def __init__(self, num_actions: int, units: int, seeds: np.random.Generator, name: str):
        super().__init__(name=name)
        initializer = keras.initializers.RandomNormal(0.0, 0.01, int(seeds.integers(2**31)))
        self.table = self.add_weight(name="table", shape=(num_actions, units), initializer=initializer)

    def call(self, action: tf.Tensor) -> tf.Tensor:
        return tf.matmul(tf.one_hot(action, self.table.shape[0]), self.table)


def standardise(images: tf.Tensor) -> tf.Tensor:
    """Return each channel of each image with mean 0 and deviation 1; a plain one becomes 0."""
    x = tf.cast(images, tf.float32)
    x -= tf.reduce_mean(x, (1, 2), keepdims=True)
    deviation = tf.sqrt(tf.reduce_mean(tf.square(x), (1, 2), keepdims=True))
    least = (images.shape[1] * images.shape[2]) ** -0.5
    return x / tf.maximum(deviation, least)


def pad_to_even(x: tf.Tensor) -> tf.Tensor:
    """Add a row of zeros below and a column to the right, where a side is odd."""
    _, height, width, _ = x.shape
    if height % 2 == 0 and width % 2 == 0:
        return x
    return tf.pad(x, [[0, 0], [0, height % 2], [0, width % 2], [0, 0]])


def timing_signal(height: int, width: int, channels: int) -> np.ndarray:
    """Return sinusoids of each pixel's position: float32 (1, H, W, channels).

    One half of the channels encodes the row, the other half the column: sines, then cosines, of position / scale. The
    scales grow geometrically from 1 to 10,000. Channels left over by a division by four are zero.
    """
    count = channels // 4
    scales = 1e4 ** (np.arange(count) / max(count - 1, 1))
    signal = np.zeros((1, height, width, channels), np.float32)
    rows, columns = (np.arange(side)[:, None] / scales for side in (height, width))
    signal[..., :count], signal[..., count : 2 * count] = np.sin(rows)[:, None], np.cos(rows)[:, None]
    signal[..., 2 * count : 3 * count], signal[..., 3 * count : 4 * count] = np.sin(columns), np.cos(columns)
    return signal
