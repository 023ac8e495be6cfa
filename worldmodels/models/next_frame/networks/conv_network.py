"""SimPLe's network is a U of convolutions that halve and double the resolution (Kaiser et al. 2019, appendix).

It differs from the published code in three points. It has no policy and value heads. One table of actions serves inputs
and targets. Action 0 has a vector of its own.
"""

from __future__ import annotations

import math

import keras
import numpy as np
import tensorflow as tf

from worldmodels.models.networks.layers import Layer
from worldmodels.models.next_frame.config import ConvNetworkConfig
from worldmodels.models.next_frame.networks.conv_layers import (
    ActionEmbedding,
    Conv2D,
    DoublingConv,
    HalvingConv,
    Inject,
    LayerNorm,
    Linear,
    pad_to_even,
    standardise,
    timing_signal,
)
from worldmodels.models.next_frame.networks.network import QUIET, Decoded, Encoded, NetworkShape, Noise

MIDDLE_LAYERS = 2
"""Convolutions at the lowest resolution (`num_hidden_layers` in SimPLe's code)."""


class ConvNetwork(Layer):
    """A `Network` for images of any size; odd sides are padded on the way down and cut on the way up."""

    def __init__(self, config: ConvNetworkConfig, shape: NetworkShape, seeds: np.random.Generator):
        super().__init__(name="network")
        self.config = config
        height, width, channels = shape.observation_shape
        self.feature_shape = (height, width, config.hidden)
        self.memory_shape = (height, width, shape.memory) if shape.memory else (0, 0, 0)
        depths = [config.channels(level) for level in range(config.levels + 1)]
        self.bottleneck_shape = config.bottleneck_shape(shape.observation_shape)
        self.summary_size = depths[-1] + config.hidden
        with keras.name_scope("network"):
            if shape.memory:
                self.absorption = Conv2D(channels + shape.memory, 2 * shape.memory, 3, 1, seeds, "absorption")
            self.enter = Enter(channels * shape.frames + shape.memory, config.hidden, seeds)
            self.embed = ActionEmbedding(shape.num_actions, config.hidden, seeds, "actions")
            self.down = [Down(config, *pair, seeds, i) for i, pair in enumerate(_pairs(depths))]
            self.inject = Inject(config.hidden, depths[-1], seeds, "inject")
            self.middle = Middle(config, depths[-1], seeds)
            self.up = [Up(config, *pair, seeds, i) for i, pair in enumerate(_pairs(depths[::-1]))]

    def update_memory(self, memory: tf.Tensor, frame: tf.Tensor) -> tf.Tensor:
        x = self.absorption(tf.concat([standardise(frame), memory], -1))
        gate, candidate = tf.split(x, 2, -1)
        gate = tf.sigmoid(gate)
        return memory * gate + tf.tanh(candidate) * (1.0 - gate)

    def encode(self, frames: tf.Tensor, memory: tf.Tensor, action: tf.Tensor, noise: Noise) -> Encoded:
        x, skips = self._descend(frames, memory, noise)
        embedding = self.embed(action)
        return Encoded(self.inject(x, embedding), (skips, embedding))

    def represent(self, frames: tf.Tensor, memory: tf.Tensor) -> tf.Tensor:
        x, _ = self._descend(frames, memory, QUIET)
        return tf.cast(tf.reshape(x, (-1, math.prod(self.bottleneck_shape))), tf.float32)

    def _descend(self, frames: tf.Tensor, memory: tf.Tensor, noise: Noise) -> tuple[tf.Tensor, list[tf.Tensor]]:
        """Return the values at the lowest resolution, and the skips of the other resolutions."""
        x = standardise(frames)
        if self.memory_shape[-1]:
            x = tf.concat([x, memory], -1)
        x, skips = self.enter(x), []
        for down in self.down:
            skips.append(x)
            x = down(x, noise=noise)
        return x, skips

    def decode(self, encoded: Encoded, noise: Noise) -> Decoded:
        skips, embedding = encoded.rest
        middle = tf.reduce_mean(encoded.bottleneck, (1, 2))
        x = self.middle(encoded.bottleneck, noise=noise)
        for up, skip in zip(self.up, reversed(skips), strict=True):
            x = up(x, embedding, skip, noise=noise)
        return Decoded(x, tf.concat([middle, tf.reduce_mean(x, (1, 2))], -1))


class Enter(Layer):
    """The first layer: each pixel to the hidden size, with its position."""

    def __init__(self, inputs: int, hidden: int, seeds: np.random.Generator):
        super().__init__(name="enter")
        with keras.name_scope("enter"):
            self.dense = Linear(inputs, hidden, seeds, "dense")
        self.dense.bias.assign(seeds.normal(0.0, 0.01, hidden).astype(np.float32))

    def call(self, x: tf.Tensor) -> tf.Tensor:
        return _with_place(self.dense(x))


class Down(Layer):
    """A block that halves the resolution."""

    def __init__(self, config: ConvNetworkConfig, inputs: int, units: int, seeds: np.random.Generator, level: int):
        super().__init__(name=f"down_{level}")
        self.rate = config.dropout
        with keras.name_scope(self.name):
            self.conv = HalvingConv(inputs, units, seeds, "conv")
            self.norm = LayerNorm(units, "norm")

    def call(self, x: tf.Tensor, noise: Noise) -> tf.Tensor:
        x = _with_place(pad_to_even(noise.dropout(x, self.rate)))
        return self.norm(tf.nn.relu(self.conv(x)))


class Middle(Layer):
    """Convolutions at the lowest resolution; each but the first is residual."""

    def __init__(self, config: ConvNetworkConfig, depth: int, seeds: np.random.Generator):
        super().__init__(name="middle")
        self.rate = config.middle_dropout
        with keras.name_scope("middle"):
            self.convs = [Conv2D(depth, depth, 3, 1, seeds, f"conv_{i}") for i in range(MIDDLE_LAYERS)]
            self.norms = [LayerNorm(depth, f"norm_{i}") for i in range(1, MIDDLE_LAYERS)]

    def call(self, x: tf.Tensor, noise: Noise) -> tf.Tensor:
        x = tf.nn.relu(self.convs[0](noise.dropout(x, self.rate)))
        for conv, norm in zip(self.convs[1:], self.norms, strict=True):
            x = norm(x + tf.nn.relu(conv(noise.dropout(x, self.rate))))
        return x


class Up(Layer):
    """A block that doubles the resolution, with the skip connection of its level."""

    def __init__(self, config: ConvNetworkConfig, inputs: int, units: int, seeds: np.random.Generator, level: int):
        super().__init__(name=f"up_{level}")
        self.rate = config.dropout
        with keras.name_scope(self.name):
            self.inject = Inject(config.hidden, inputs, seeds, "inject")
            self.conv = DoublingConv(inputs, units, seeds, "conv")
            self.norm = LayerNorm(units, "norm")

    def call(self, x: tf.Tensor, embedding: tf.Tensor, skip: tf.Tensor, noise: Noise) -> tf.Tensor:
        x = self.inject(noise.dropout(x, self.rate), embedding)
        x = tf.nn.relu(self.conv(x))[:, : skip.shape[1], : skip.shape[2]]
        return _with_place(self.norm(x + skip))


def _with_place(x: tf.Tensor) -> tf.Tensor:
    return x + timing_signal(*x.shape[1:])


def _pairs(depths: list[int]) -> list[tuple[int, int]]:
    return list(zip(depths[:-1], depths[1:], strict=True))
