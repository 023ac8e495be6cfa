"""The event network predicts rewards and ends from the frame before a step, the action and the frame after.

The frame network's summary of a step is trained for painting, and recognises a coin by its place in the training
levels. This network reads all places with the same weights and takes the largest answer, so an event is learned once
for all places.
"""

from __future__ import annotations

import keras
import numpy as np
import tensorflow as tf

from worldmodels.core.errors import ConfigError
from worldmodels.models.networks.encoders import to_float, to_patches
from worldmodels.models.networks.layers import Layer
from worldmodels.models.next_frame.networks.conv_layers import Conv2D, Linear
from worldmodels.models.next_frame.networks.network import NetworkShape

PATCH = 4
"""Side of the squares of pixels that are put into channels, which must divide the frame's sides."""


class EventNetwork(Layer):
    """Two convolutions over both frames, in squares of 4 x 4 pixels, and the largest value of each channel in space."""

    def __init__(self, depth: int, shift: int, shape: NetworkShape, seeds: np.random.Generator):
        """Build the network; while it learns, both frames are moved together by up to `shift` pixels.

        Raises:
            ConfigError: the sides of the frames are no multiples of the patch.
        """
        super().__init__(name="events")
        height, width, _ = shape.observation_shape
        if height % PATCH or width % PATCH:
            raise ConfigError(
                f"model.event_depth builds a network on squares of {PATCH} x {PATCH} pixels, which must divide the "
                f"frames; received {height} x {width}. event_depth=0 takes any size."
            )
        self.shift, self.summary_size = shift, 2 * depth
        channels = 2 * PATCH**2 * shape.observation_shape[2]
        with keras.name_scope("events"):
            self.near = Conv2D(channels, depth, 3, 1, seeds, "near")
            self.act = Linear(shape.num_actions, depth, seeds, "act")
            self.far = Conv2D(depth, 2 * depth, 3, 1, seeds, "far")
        self.num_actions = shape.num_actions

    def call(self, frame: tf.Tensor, action: tf.Tensor, after: tf.Tensor, seed: tf.Tensor | None = None) -> tf.Tensor:
        """Return float32 (N, summary_size).

        Args:
            frame, after: uint8 (N, H, W, C).
            action: int32 (N,), taken at the first and leading to the second.
            seed: int32 (2,) of the shift; None for none.
        """
        both = tf.concat([frame, after], -1)
        if seed is not None and self.shift:
            both = shifted(both, self.shift, seed)
        x = self.near(to_float(to_patches(both, PATCH)))
        x = tf.nn.relu(x + self.act(tf.one_hot(action, self.num_actions))[:, None, None])
        return tf.reduce_max(tf.nn.relu(self.far(x)), (1, 2))


def shifted(images: tf.Tensor, most: int, seed: tf.Tensor) -> tf.Tensor:
    """Return images (N, H, W, C) moved by up to `most` pixels each way, all alike; edges are repeated.

    One shift for a batch is enough, as batches are many, and it is a slice where N shifts would be gathered.
    """
    _, height, width, _ = images.shape
    padded = tf.concat([images[:, :1]] * most + [images] + [images[:, -1:]] * most, 1)
    padded = tf.concat([padded[:, :, :1]] * most + [padded] + [padded[:, :, -1:]] * most, 2)
    offset = tf.random.stateless_uniform((2,), seed, maxval=2 * most + 1, dtype=tf.int32)
    moved = tf.slice(padded, [0, offset[0], offset[1], 0], [-1, height, width, -1])
    return tf.ensure_shape(moved, images.shape)
