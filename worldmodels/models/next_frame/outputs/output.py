"""An output reads a frame from the features of a network: the contract, the published softmax, and the table."""

from __future__ import annotations

from typing import Any, Protocol

import keras
import numpy as np
import tensorflow as tf

from worldmodels.models.distributions import categorical_nll
from worldmodels.models.networks.layers import Layer
from worldmodels.models.next_frame.config import SoftmaxOutputConfig
from worldmodels.models.next_frame.networks.conv_layers import Linear
from worldmodels.models.next_frame.networks.network import Decoded, Network
from worldmodels.models.next_frame.outputs.motion_output import MotionOutput

VALUES = 256
"""Values of a channel of a pixel."""


class Output(Protocol):
    """A Keras layer made of (config, network, observation_shape, generator of weights)."""

    trainable_weights: list[Any]

    def loss(self, decoded: Decoded, newest: tf.Tensor, target: tf.Tensor, cutoff: float) -> tf.Tensor:
        """Return the loss of each row (N,): the mean over channels of pixels of nats minus `cutoff`, at least 0 each.

        Args:
            decoded: the network's output for N steps.
            newest: uint8 (N, H, W, C), the frame before, from which an output may copy.
            target: uint8 (N, H, W, C).
        """

    def frame(self, decoded: Decoded, newest: tf.Tensor) -> tf.Tensor:
        """Return the most probable frame: uint8 (N, H, W, C)."""


class SoftmaxOutput(Layer):
    """An `Output` for features at full resolution."""

    def __init__(
        self,
        config: SoftmaxOutputConfig,
        network: Network,
        observation_shape: tuple[int, int, int],
        seeds: np.random.Generator,
    ):
        super().__init__(name="output")
        self._shape = observation_shape
        with keras.name_scope("output"):
            self.dense = Linear(network.feature_shape[2], VALUES * observation_shape[2], seeds, "dense")

    def logits(self, features: tf.Tensor) -> tf.Tensor:
        """Return the logits (N, H, W, C, 256)."""
        return tf.reshape(self.dense(features), (-1, *self._shape, VALUES))

    def loss(self, decoded: Decoded, newest: tf.Tensor, target: tf.Tensor, cutoff: float) -> tf.Tensor:
        rows = tf.reshape(self.logits(decoded.features), (-1, VALUES))
        labels = tf.cast(tf.reshape(target, (-1,)), tf.int32)
        nats = categorical_nll(rows, labels)
        excess = tf.maximum(nats - cutoff, 0.0)
        return tf.reduce_mean(tf.reshape(excess, (-1, int(np.prod(self._shape)))), -1)

    def frame(self, decoded: Decoded, newest: tf.Tensor) -> tf.Tensor:
        return tf.cast(tf.argmax(self.logits(decoded.features), -1, tf.int32), tf.uint8)


OUTPUTS: dict[str, Any] = {"motion": MotionOutput, "softmax": SoftmaxOutput}
"""Every output by its configuration's kind."""


def build_output(
    config: Any, network: Network, observation_shape: tuple[int, int, int], seeds: np.random.Generator
) -> Output:
    """Return the output for a network; `config` is one of the outputs' configurations."""
    output: Output = OUTPUTS[config.kind](config, network, observation_shape, seeds)
    return output
