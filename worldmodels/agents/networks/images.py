"""Networks of agents for images, uint8 (N, H, W, C), to a vector.

`noise` is the seed of the regularisation while a network learns (see `convolution.py`); without one it is as it acts.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import keras
import numpy as np
import tensorflow as tf

from worldmodels.agents.config import ImageNetworkKind
from worldmodels.agents.networks.convolution import Convolution, Regularisation, orthogonal
from worldmodels.core.errors import ConfigError
from worldmodels.models import precision
from worldmodels.models.networks.layers import Layer


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
        seeds = None if noise is None else tf.unstack(tf.random.split(noise, len(self.convolutions)))
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
