"""The inference network of the published layout gives the logits of bits for the change between two frames."""

from __future__ import annotations

import keras
import numpy as np
import tensorflow as tf

from worldmodels.models.networks.layers import Layer
from worldmodels.models.next_frame.config import ConvNetworkConfig
from worldmodels.models.next_frame.networks.conv_layers import (
    ActionEmbedding,
    Conv2D,
    Inject,
    Linear,
    standardise,
    timing_signal,
)
from worldmodels.models.next_frame.networks.network import NetworkShape

HEADS = 4


class ConvInference(Layer):
    """An `Inference`: two convolutions, each summarised over space, and a dense layer on the two summaries."""

    def __init__(self, config: ConvNetworkConfig, shape: NetworkShape, bits: int, seeds: np.random.Generator):
        super().__init__(name="inference")
        hidden, depths = config.hidden, (128, 512)
        with keras.name_scope("inference"):
            self.enter = Linear(2 * shape.observation_shape[2], hidden, seeds, "enter")
            self.embed = ActionEmbedding(shape.num_actions, hidden, seeds, "actions")
            self.inject = Inject(hidden, hidden, seeds, "inject")
            self.convs = [
                Conv2D(inputs, units, 8, 4, seeds, f"conv_{i}")
                for i, (inputs, units) in enumerate(zip((hidden, depths[0]), depths, strict=True))
            ]
            self.summaries = [Summary(depth, 2 * depth, seeds, f"summary_{i}") for i, depth in enumerate(depths)]
            self.bits = Linear(2 * sum(depths), bits, seeds, "bits")

    def call(self, frame: tf.Tensor, target: tf.Tensor, action: tf.Tensor) -> tf.Tensor:
        x = self.enter(tf.concat([standardise(frame), standardise(target)], -1))
        x = self.inject(x + timing_signal(*x.shape[1:]), self.embed(action))
        first = self.convs[0](x)
        second = self.convs[1](tf.nn.relu(first))
        return self.bits(tf.concat([self.summaries[0](first), self.summaries[1](second)], -1))


class Summary(Layer):
    """An image as a vector: its mean, and means weighted by attention over space, through a dense layer."""

    def __init__(self, channels: int, units: int, seeds: np.random.Generator, name: str):
        super().__init__(name=name)
        with keras.name_scope(name):
            self.attend = Linear(channels, HEADS, seeds, "attend")
            self.dense = Linear((1 + HEADS) * channels, units, seeds, "dense")

    def call(self, x: tf.Tensor) -> tf.Tensor:
        _, height, width, channels = x.shape
        pixels = tf.reshape(x, (-1, height * width, channels))
        attention = tf.nn.softmax(self.attend(pixels), 1)
        means = tf.matmul(attention, pixels, transpose_a=True)
        means = tf.reshape(means, (-1, HEADS * channels))
        return self.dense(tf.concat([tf.reduce_mean(pixels, 1), means], -1))
