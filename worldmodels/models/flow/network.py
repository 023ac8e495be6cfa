"""The network of the flow model: convolutions on places of 4 x 4 pixels choose what each pixel is copied from.

A pixel is a mean of the last frame's pixels and of a painted colour, never more than the largest of them. So a model
that goes on from its own frames does not sharpen them again at each step.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import keras
import numpy as np
import tensorflow as tf

from worldmodels.models.flow.path import carried, from_outside, mixed
from worldmodels.models.networks.images import from_patches, to_patches
from worldmodels.models.networks.layers import Layer
from worldmodels.models.next_frame.networks.conv_layers import Conv2D, Linear
from worldmodels.models.precision import building_in

PLACE = 4
"""Side of a place in pixels."""
COARSE = 4
"""Rows and columns, at most, of the coarse grid that sees the whole picture at once."""
GLOBAL_UNITS = 256
LONGEST = 16.0
"""Longest motion in pixels."""
FIRST_MOTIONS = ((0.0, 0.0), (0.0, 0.3), (0.0, -0.3), (0.5, 0.0))
"""Motions, down and right, before the network has learned: they differ, so that each can become another."""
FIRST_CHOICES = (0.5, *(0.0 for _ in FIRST_MOTIONS), -0.5)
"""Logits, before the network has learned, of the last frame as it is, along each motion, and of the painted frame."""
SHARPNESS = 4.0
"""Factor of these logits."""
NEVER = -1e9
"""Logit of a picture of which a pixel takes nothing."""
WAVES = 16
"""Frequencies of the embedding of a number."""


class Past(NamedTuple):
    """The condition of a prediction, for N rows."""

    frames: tf.Tensor
    """float32 (N, H, W, frames * C), colours from -1 to 1, the newest last."""
    actions: tf.Tensor
    """float32 (N, frames * width): the actions that led to later frames, and the newest, which leads to the next."""
    noise: tf.Tensor
    """float32 (N,): the deviation of the noise on the frames."""


class Pictures(NamedTuple):
    """The pictures of which N predicted frames are means: the last frame, the same along M motions, a painted one."""

    logits: tf.Tensor
    """float32 (N, H, W, F): the softmax is the share of each picture in a pixel."""
    frames: tf.Tensor
    """float32 (N, F, H, W, C): the pictures."""
    shifts: tf.Tensor
    """float32 (N, M, 2): the motions, pixels down and right."""


class FlowNetwork(Layer):
    """Predicts the frame at the end of a path from a point on it, its time and the past."""

    def __init__(
        self,
        shape: tuple[int, int, int],
        frames: int,
        action_width: int,
        width: int,
        blocks: int,
        seeds: np.random.Generator,
        name: str,
    ):
        """Build the network for frames of `shape` (H, W, C)."""
        super().__init__(name=name)
        self.height, self.width, self.channels = shape
        rows, columns = (math.ceil(side / PLACE) for side in shape[:2])
        self._padding = [[0, 0], [0, rows * PLACE - self.height], [0, columns * PLACE - self.width], [0, 0]]
        self._pool = (math.ceil(rows / COARSE), math.ceil(columns / COARSE))
        coarse = math.ceil(rows / self._pool[0]) * math.ceil(columns / self._pool[1]) * width
        motions, drawn = len(FIRST_MOTIONS), len(FIRST_CHOICES) + self.channels
        self.place = self.weight("place", (rows, columns, width))
        with keras.name_scope(name):
            with building_in("float32"):
                self.time = Linear(4 * WAVES, width, seeds, "time")
                self.action = Linear(frames * action_width, width, seeds, "action")
                self.condition = Linear(width, width, seeds, "condition")
                self.motion = _from_zero(Linear(coarse + width, 2 * motions, seeds, "motion"))
            self.motion.bias.assign(np.arctanh(np.array(FIRST_MOTIONS, np.float32).ravel() / LONGEST))
            self.enter = Conv2D((frames + 1) * self.channels * PLACE**2, width, 1, 1, seeds, "enter")
            self.blocks = [PlaceBlock(width, seeds, f"block_{index}") for index in range(blocks)]
            self.overview = Linear(coarse, GLOBAL_UNITS, seeds, "overview")
            self.spread = _from_zero(Linear(GLOBAL_UNITS, width, seeds, "spread"))
            self.leave_norm = GroupNorm(width, "leave_norm")
            self.leave = _from_zero(Conv2D(width, drawn * PLACE**2, 1, 1, seeds, "leave"))

    def call(self, x: tf.Tensor, times: tf.Tensor, past: Past, decided: float | tf.Tensor = 1.0) -> tf.Tensor:
        """Return frames, float32 (N, H, W, C), colours from -1 to 1 and a little beyond.

        Args:
            x: points on the paths, float32 (N, H, W, C).
            times: of the points, float32 (N,).
            decided: factor of the logits; 1 takes means of the pictures, as learned, and a large one the likeliest.
        """
        pictures = self.pictures(x, times, past, decided)
        return mixed(pictures.logits, pictures.frames)

    def pictures(self, x: tf.Tensor, times: tf.Tensor, past: Past, decided: float | tf.Tensor = 1.0) -> Pictures:
        """Return the pictures of which the frames of a call with the same arguments are means."""
        embedding = self.time(tf.concat([waves(times), waves(past.noise)], -1)) + self.action(past.actions)
        embedding = self.condition(tf.nn.silu(embedding))
        stacked = tf.pad(tf.concat([past.frames, x], -1), self._padding, "SYMMETRIC")
        places = self.enter(to_patches(stacked, PLACE)) + self.place
        for index, block in enumerate(self.blocks):
            places = block(places, tf.nn.silu(embedding))
            if index == 0:
                embedding = embedding + self.spread(tf.nn.silu(self.overview(self._coarse(places))))
        drawn = from_patches(self.leave(tf.nn.silu(self.leave_norm(places))), PLACE)
        drawn = drawn[:, : self.height, : self.width]
        shifts = LONGEST * tf.tanh(self.motion(tf.concat([self._coarse(places), embedding], -1)))
        shifts = tf.reshape(shifts, (-1, len(FIRST_MOTIONS), 2))
        choices, painted = tf.split(drawn, [len(FIRST_CHOICES), self.channels], -1)
        last = past.frames[..., -self.channels :]
        frames = tf.concat([last[:, None], carried(last, shifts), painted[:, None]], 1)
        logits = decided * SHARPNESS * (choices + FIRST_CHOICES)
        # A copy of the edge would make streaks where the picture enters: it is copied again at the next step.
        outside = tf.pad(from_outside(shifts, self.height, self.width), [[0, 0], [0, 0], [0, 0], [1, 1]])
        return Pictures(tf.where(outside, NEVER, logits), frames, shifts)

    def _coarse(self, places: tf.Tensor) -> tf.Tensor:
        """Return the means of places in a coarse grid, (N, coarse * width)."""
        pooled = tf.nn.avg_pool2d(places, self._pool, self._pool, "SAME")
        return tf.reshape(pooled, (-1, math.prod(pooled.shape[1:])))


class PlaceBlock(Layer):
    """Two convolutions around a sum; an embedding scales and shifts the channels between them."""

    def __init__(self, width: int, seeds: np.random.Generator, name: str):
        super().__init__(name=name)
        with keras.name_scope(name):
            self.first_norm, self.second_norm = GroupNorm(width, "first_norm"), GroupNorm(width, "second_norm")
            self.first = Conv2D(width, width, 3, 1, seeds, "first")
            with building_in("float32"):
                self.modulation = _from_zero(Linear(width, 2 * width, seeds, "modulation"))
            self.second = _from_zero(Conv2D(width, width, 3, 1, seeds, "second"))

    def call(self, places: tf.Tensor, embedding: tf.Tensor) -> tf.Tensor:
        """Return places, float32 (N, rows, columns, width), changed under an embedding (N, width)."""
        x = self.first(tf.nn.silu(self.first_norm(places)))
        scale, shift = tf.split(self.modulation(embedding), 2, -1)
        return places + self.second(tf.nn.silu(self.second_norm(x, scale, shift)))


class GroupNorm(Layer):
    """A normalisation over groups of channels at all places (Wu & He 2018)."""

    def __init__(self, width: int, name: str):
        super().__init__(name=name)
        self.groups = math.gcd(width, 8)
        self.scale = self.add_weight(name="scale", shape=(width,), initializer="ones")
        self.offset = self.weight("offset", (width,))

    def call(self, x: tf.Tensor, scale: tf.Tensor | float = 0.0, shift: tf.Tensor | float = 0.0) -> tf.Tensor:
        """Return (N, h, w, width) with mean 0 and variance 1 in each group, then times 1 + `scale`, plus `shift`, which
        are (N, width)."""
        mean = self._by_group(tf.reduce_mean(x, (1, 2)))
        square = self._by_group(tf.reduce_mean(tf.square(x), (1, 2)))
        # One factor and one term for each channel: the picture is read once more, and not four times.
        factor = tf.math.rsqrt(tf.maximum(square - tf.square(mean), 0.0) + 1e-5) * self.scale * (1.0 + scale)
        term = self.offset * (1.0 + scale) + shift - mean * factor
        return x * factor[:, None, None] + term[:, None, None]

    def _by_group(self, means: tf.Tensor) -> tf.Tensor:
        """Return the means of channels (N, width), each replaced by that of its group."""
        width = means.shape[-1]
        grouped = tf.reduce_mean(tf.reshape(means, (-1, self.groups, width // self.groups)), -1)
        return tf.repeat(grouped, width // self.groups, -1)


def waves(numbers: tf.Tensor) -> tf.Tensor:
    """Return sines and cosines of numbers (N,) from 0 to 1, at frequencies from half a period to thousands: (N, 32)."""
    angles = numbers[:, None] * (math.pi * 2.0 ** tf.linspace(0.0, 8.0, WAVES))
    return tf.concat([tf.sin(angles), tf.cos(angles)], -1)


def _from_zero(layer: Layer) -> Layer:
    """Return a layer whose output is 0 before it learns."""
    layer.kernel.assign(tf.zeros_like(layer.kernel))
    return layer
