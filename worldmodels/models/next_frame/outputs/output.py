"""The contract of an output, which reads a frame from the features of a network, and the table of outputs."""

from __future__ import annotations

from importlib import import_module
from typing import Any, Protocol

import numpy as np
import tensorflow as tf

from worldmodels.models.next_frame.networks.network import Decoded, Network


class Output(Protocol):
    """A Keras layer made of (config, network, observation_shape, generator of weights)."""

    trainable_weights: list[Any]

    def loss(self, decoded: Decoded, newest: tf.Tensor, target: tf.Tensor, cutoff: float) -> tf.Tensor:
        """Return the loss of each row (N,): the mean over channels of pixels of nats less `cutoff`, at least 0 each.

        Args:
            decoded: what the network says of N steps.
            newest: uint8 (N, H, W, C), the frame before, of which an output may copy.
            target: uint8 (N, H, W, C).
        """

    def frame(self, decoded: Decoded, newest: tf.Tensor) -> tf.Tensor:
        """Return the most probable frame: uint8 (N, H, W, C)."""


OUTPUTS: dict[str, str] = {
    "motion": "worldmodels.models.next_frame.outputs.motion_output:MotionOutput",
    "softmax": "worldmodels.models.next_frame.outputs.softmax_output:SoftmaxOutput",
}
"""Every output by its configuration's kind, imported when one is built."""


def build_output(
    config: Any, network: Network, observation_shape: tuple[int, int, int], seeds: np.random.Generator
) -> Output:
    """Return the output for a network; `config` is one of the outputs' configurations."""
    module, name = OUTPUTS[config.kind].split(":")
    return getattr(import_module(module), name)(config, network, observation_shape, seeds)
