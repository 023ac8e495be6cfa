"""Networks of agents for images, uint8 (N, H, W, C), to a vector.

`noise` is the seed of the regularisation while a network learns; without one it is as it acts.

A convolution of an agent's network, with dropout and batch normalisation while it learns.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import keras
import numpy as np
import tensorflow as tf

from worldmodels.agents.config import ImageNetworkKind
from worldmodels.core.errors import ConfigError
from worldmodels.models import draws, precision
from worldmodels.models.networks.layers import Layer


class Regularisation(NamedTuple):
    """The settings that make a network behave differently while it learns and while it acts."""

    dropout: float = 0.0
    batch_norm: bool = False

    def __bool__(self) -> bool:
        return self.dropout > 0 or self.batch_norm


def orthogonal(layer: Layer, name: str, shape: tuple[int, ...], seeds: np.random.Generator) -> keras.Variable:
    """Return an orthogonal weight with gain sqrt(2), which keeps the size of what passes a ReLU (Saxe et al. 2014)."""
    initializer = keras.initializers.Orthogonal(2**0.5, int(seeds.integers(2**31)))
    return layer.add_weight(name=name, shape=shape, initializer=initializer)


class Convolution(Layer):
    """A convolution, then dropout, then batch normalisation; images (N, H, W, C) to (N, *shape).

    Dropout follows CoinRun (Cobbe et al. 2019): one mask for all images, a function of the seed given alone, so that
    all minibatches of an update meet the same thinned network.
    """

    MOMENTUM = 0.95
    """Share of the moving averages that each minibatch keeps."""
    EPSILON = 1e-3

    def __init__(
        self,
        shape: tuple[int, int, int],
        how: tuple[int, int, int, str],
        regularisation: Regularisation,
        seeds: np.random.Generator,
        name: str,
    ):
        """Build the layer for images of `shape`; `how` holds units, size, stride and padding."""
        super().__init__(name=name)
        units, size, self.stride, self.padding = how
        short = size - 1 if self.padding == "VALID" else 0
        height, width = (-(-(side - short) // self.stride) for side in shape[:2])
        self.shape = (height, width, units)
        self.regularisation = regularisation
        self.kernel = orthogonal(self, "kernel", (size, size, shape[2], units), seeds)
        self.bias = self.weight("bias", (units,))
        if regularisation.batch_norm:
            self.scale = self.add_weight(name="scale", shape=(units,), initializer="ones")
            self.offset = self.weight("offset", (units,))
            self.mean = self.add_weight(name="mean", shape=(units,), initializer="zeros", trainable=False)
            self.variance = self.add_weight(name="variance", shape=(units,), initializer="ones", trainable=False)

    def call(self, x: tf.Tensor, seed: tf.Tensor | None) -> tf.Tensor:
        """Apply the layer; `seed` is that of the dropout mask while learning, None while acting.

        Images uint8 count from 0 to 1. It is the kernel that is scaled for that, which is far smaller than they are.
        """
        kernel = self.kernel.value * (1 / 255) if x.dtype == tf.uint8 else self.kernel
        x = precision.conv2d(x, kernel, self.stride, self.padding, self.precision)
        x = precision.add_bias(x, self.bias)
        if self.regularisation.dropout and seed is not None:
            x *= self._mask(seed)
        if self.regularisation.batch_norm:
            x = self._normalize(precision.full(x), learning=seed is not None)
        return x

    def _mask(self, seed: tf.Tensor) -> tf.Tensor:
        rate = self.regularisation.dropout
        kept = draws.uniform(self.shape, seed) >= rate
        return precision.narrow(tf.cast(kept, tf.float32) * (1.0 / (1.0 - rate)), self.precision)

    def _normalize(self, x: tf.Tensor, learning: bool) -> tf.Tensor:
        x, mean, variance = tf.compat.v1.nn.fused_batch_norm(
            x, self.scale, self.offset, self.mean, self.variance, self.EPSILON, is_training=learning
        )
        if learning:
            for moving, now in ((self.mean, mean), (self.variance, variance)):
                moving.value.assign_add((1.0 - self.MOMENTUM) * (now - moving.value))
        return x


BOXES = 5
"""The most boxes that are painted over an image."""
SMALLEST, LARGEST = 0.1, 0.35
"""Sides of a box, as shares of the image's."""


def paint_boxes(images: tf.Tensor, channels: int, seed: tf.Tensor) -> tf.Tensor:
    """Paint 0 to 5 boxes over each image, all drawn uniformly: how many, where, how large, which colour.

    A box covers the same place in all frames of a stack, in one colour.

    Args:
        images: uint8 (N, H, W, F), stacks of F / `channels` frames.
        channels: of one frame.
        seed: int32 (2,).
    """
    count, height, width, depth = images.shape
    seeds = tf.unstack(draws.split(seed, 4))
    boxes = draws.uniform((count,), seeds[0], 0, BOXES + 1, tf.int32)
    sides = draws.uniform((count, BOXES, 2), seeds[1], SMALLEST, LARGEST)
    corners = draws.uniform((count, BOXES, 2), seeds[2]) * (1.0 - sides)
    colours = draws.uniform((count, BOXES, channels), seeds[3], 0, 256, tf.int32)
    colours = tf.tile(tf.cast(colours, tf.uint8), (1, 1, depth // channels))

    def inside(axis: int, pixels: int) -> tf.Tensor:
        """Return which rows, or columns, each box covers: bool (N, boxes, pixels)."""
        centres = (tf.range(pixels, dtype=tf.float32) + 0.5) / pixels
        start, side = corners[:, :, axis, None], sides[:, :, axis, None]
        return (centres >= start) & (centres < start + side)

    rows, columns = inside(0, height), inside(1, width)
    for i in range(BOXES):
        covered = (i < boxes)[:, None, None] & rows[:, i, :, None] & columns[:, i, None, :]
        images = tf.where(covered[..., None], colours[:, i, None, None, :], images)
    return images


class PlainNetworkSpec(NamedTuple):
    """The sizes of a plain network: convolutions (units, size, stride) and a dense layer."""

    layers: tuple[tuple[int, int, int], ...]
    padding: str
    units: int


PLAIN_NETWORKS = {
    "small": PlainNetworkSpec(((32, 5, 2), (32, 5, 2)), "SAME", 128),
    "nature": PlainNetworkSpec(((32, 8, 4), (64, 4, 2), (64, 3, 1)), "VALID", 512),
}
NONE = Regularisation()
STAGES = {"impala": (16, 32, 32), "impala_large": (32, 64, 64, 64, 64)}
"""Channels of each residual stage."""


def seen_pixels(side: int, layers: Sequence[tuple[int, int, int]]) -> int:
    """Return how many pixels of an image's side reach the output of convolutions (units, size, stride), unpadded.

    Strides skip pixels at the far end, and earlier layers need not compute outputs that nothing reads. The Nature
    network reads 60 of 64 pixels, and 14 x 14 outputs of its first layer in place of 15 x 15.
    """
    for _, size, stride in layers:
        side = (side - size) // stride + 1
    for _, size, stride in reversed(layers):
        side = (side - 1) * stride + size
    return side


class ImageNetwork(Layer):
    """Convolutions, flattened, and a dense layer with ReLU; `size` is that of its output."""

    convolutions: list[Convolution]

    def __init__(self, units: int, seen: tuple[int, int], name: str):
        """Prepare a network that looks at the first `seen` rows and columns of an image."""
        super().__init__(name=name)
        self.size, self._seen = units, seen

    def call(self, images: tf.Tensor, noise: tf.Tensor | None = None) -> tf.Tensor:
        seeds = None if noise is None else tf.unstack(draws.split(noise, len(self.convolutions)))
        height, width = self._seen
        x = self.convolve(images[:, :height, :width], seeds)
        x = tf.reshape(x, (-1, self.kernel.shape[0]))
        return tf.nn.relu(precision.dense(x, self.kernel, self.bias, self.precision))

    def convolve(self, x: tf.Tensor, seeds: Sequence[tf.Tensor] | None) -> tf.Tensor:
        """Return what is flattened from images uint8 (N, H, W, C); one seed for each convolution."""
        raise NotImplementedError

    def _finish(self, shape: tuple[int, int, int], seeds: np.random.Generator) -> None:
        self.kernel = orthogonal(self, "kernel", (int(np.prod(shape)), self.size), seeds)
        self.bias = self.weight("bias", (self.size,))


class PlainNetwork(ImageNetwork):
    """A network of convolutions in a row, each with ReLU."""

    def __init__(
        self, kind: str, shape: tuple[int, int, int], regularisation: Regularisation, seeds: np.random.Generator
    ):
        plan = PLAIN_NETWORKS[kind]
        if plan.padding == "VALID" and not regularisation.batch_norm:  # its averages are over all outputs
            shape = (seen_pixels(shape[0], plan.layers), seen_pixels(shape[1], plan.layers), shape[2])
        super().__init__(plan.units, shape[:2], kind)
        with keras.name_scope(kind):
            self.convolutions = []
            for i, (units, size, stride) in enumerate(plan.layers):
                how = (units, size, stride, plan.padding)
                self.convolutions.append(Convolution(shape, how, regularisation, seeds, f"conv_{i}"))
                shape = self.convolutions[-1].shape
            self._finish(shape, seeds)

    def convolve(self, x: tf.Tensor, seeds: Sequence[tf.Tensor] | None) -> tf.Tensor:
        for i, convolution in enumerate(self.convolutions):
            x = tf.nn.relu(convolution(x, seeds and seeds[i]))
        return x


class ResidualNetwork(ImageNetwork):
    """IMPALA's stages: a convolution, max-pooling of stride 2, and two residual blocks of two convolutions."""

    def __init__(
        self, kind: str, shape: tuple[int, int, int], regularisation: Regularisation, seeds: np.random.Generator
    ):
        super().__init__(256, shape[:2], kind)
        with keras.name_scope(kind):
            self.convolutions = []
            for units in STAGES[kind]:
                for i in range(5):
                    how, name = (units, 3, 1, "SAME"), f"conv_{len(self.convolutions)}"
                    self.convolutions.append(Convolution(shape, how, regularisation, seeds, name))
                    shape = (-(-shape[0] // 2), -(-shape[1] // 2), units) if i == 0 else shape
            self._finish(shape, seeds)

    def convolve(self, x: tf.Tensor, seeds: Sequence[tf.Tensor] | None) -> tf.Tensor:
        def convolution(x: tf.Tensor, i: int) -> tf.Tensor:
            return self.convolutions[i](x, seeds and seeds[i])

        for first in range(0, len(self.convolutions), 5):
            x = tf.nn.max_pool2d(convolution(x, first), 3, 2, "SAME")
            for i in (first + 1, first + 3):
                x += convolution(tf.nn.relu(convolution(tf.nn.relu(x), i)), i + 1)
        return tf.nn.relu(x)


def build_image_network(
    kind: ImageNetworkKind,
    shape: tuple[int, ...],
    seeds: np.random.Generator,
    regularisation: Regularisation = NONE,
) -> ImageNetwork:
    """Return the network for images of `shape` (H, W, C).

    Raises:
        ConfigError: they are too small for it.
    """
    smallest = {"nature": 36}.get(kind, 1)
    if min(shape[:2]) < smallest:
        raise ConfigError(
            f"The network '{kind}' needs images of at least {smallest} x {smallest} pixels, received "
            f"{shape[0]} x {shape[1]}. The kinds 'small', 'impala' and 'impala_large' take any size."
        )
    height, width, channels = shape
    return (PlainNetwork if kind in PLAIN_NETWORKS else ResidualNetwork)(
        kind, (height, width, channels), regularisation, seeds
    )
