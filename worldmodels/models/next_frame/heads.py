"""The heads read reward and continuation from a network's summary of the next step.

The event network predicts rewards and ends from the frame before a step, the action and the frame after.

The frame network's summary of a step is trained for painting, and recognises a coin by its place in the training
levels. This network reads all places with the same weights and takes the largest answer, so an event is learned once
for all places.
"""

from __future__ import annotations

import math

import keras
import numpy as np
import tensorflow as tf

from worldmodels.models import draws
from worldmodels.models.distributions import bernoulli_nll, categorical_nll, normal_nll, symexp, symlog
from worldmodels.models.networks.images import to_float, to_patches
from worldmodels.models.networks.layers import Layer
from worldmodels.models.next_frame.networks.conv_layers import Conv2D, Linear
from worldmodels.models.precision import building_in

CLASSES = 3


class ClassReward(Layer):
    """The sign of the reward as one of three classes, -1, 0 and 1, as published."""

    def __init__(self, inputs: int, units: int, seeds: np.random.Generator):
        super().__init__(name="reward")
        initializer = keras.initializers.RandomNormal(0.0, units**-0.5, int(seeds.integers(2**31)))
        with keras.name_scope("reward"):
            self.hidden = Linear(inputs, units, seeds, "hidden")
            self.classes = self.add_weight(name="classes", shape=(units, CLASSES), initializer=initializer)

    def call(self, summary: tf.Tensor) -> tf.Tensor:
        return tf.matmul(tf.nn.relu(self.hidden(summary)), self.classes)

    def loss(self, summary: tf.Tensor, reward: tf.Tensor, cutoff: float) -> tf.Tensor:
        """Return the loss (N,) in nats minus `cutoff`, at least 0; of rewards (N,) only the sign counts."""
        # A reward that is not a number is neither, and must show in the loss all the same.
        labels = 1 + tf.cast(reward > 0.0, tf.int32) - tf.cast(reward < 0.0, tf.int32)
        nats = categorical_nll(self(summary), labels)
        return tf.maximum(nats - cutoff, 0.0) + 0.0 * reward

    def reward(self, summary: tf.Tensor) -> tf.Tensor:
        """Return the most probable of -1, 0 and 1: (N,)."""
        return tf.cast(tf.argmax(self(summary), -1), tf.float32) - 1.0


class SymlogReward(Layer):
    """The reward in the world's own units, regressed as its symlog: the mean of a unit-variance normal; starts at 0."""

    def __init__(self, inputs: int, units: int, seeds: np.random.Generator):
        super().__init__(name="reward")
        with keras.name_scope("reward"):
            self.hidden = Linear(inputs, units, seeds, "hidden")
            with building_in("float32"):
                self.mean = Linear(units, 1, seeds, "mean")
        # Rewards are rare: from anything but 0 it would first have to find its way there.
        self.mean.kernel.assign(tf.zeros_like(self.mean.kernel))

    def call(self, summary: tf.Tensor) -> tf.Tensor:
        return self.mean(tf.nn.relu(self.hidden(summary)))[:, 0]

    def loss(self, summary: tf.Tensor, reward: tf.Tensor, cutoff: float) -> tf.Tensor:
        """Return the loss (N,); a cutoff in nats has no meaning here."""
        return normal_nll(self(summary), symlog(reward))

    def reward(self, summary: tf.Tensor) -> tf.Tensor:
        """Return the expected reward (N,)."""
        return symexp(self(summary))


class HurdleReward(Layer):
    """The probability of any reward, and its symlog where there is one (a hurdle model, Cragg 1971); starts at 0.

    Where rewards are rare, a regression spends itself on the zeros.
    """

    def __init__(self, inputs: int, units: int, event_weight: float, seeds: np.random.Generator):
        """Build the head; for `event_weight` see `event_nll`."""
        super().__init__(name="reward")
        self.event_weight = event_weight
        with keras.name_scope("reward"):
            self.hidden = Linear(inputs, units, seeds, "hidden")
            with building_in("float32"):
                self.parts = Linear(units, 2, seeds, "parts")
        self.parts.kernel.assign(tf.zeros_like(self.parts.kernel))

    def call(self, summary: tf.Tensor) -> tuple[tf.Tensor, tf.Tensor]:
        """Return the logit of a reward, and its symlog: (N,) each."""
        logit, size = tf.unstack(self.parts(tf.nn.relu(self.hidden(summary))), axis=-1)
        return logit, size

    def loss(self, summary: tf.Tensor, reward: tf.Tensor, cutoff: float) -> tf.Tensor:
        """Return the loss (N,); a cutoff in nats has no meaning here."""
        logit, size = self(summary)
        given = tf.cast(reward != 0.0, tf.float32)
        return event_nll(logit, given, self.event_weight) + self.event_weight * given * normal_nll(size, symlog(reward))

    def reward(self, summary: tf.Tensor) -> tf.Tensor:
        """Return the expected reward (N,)."""
        logit, size = self(summary)
        return tf.sigmoid(logit) * symexp(size)


class Continuation(Layer):
    """The probability that the episode goes on."""

    def __init__(self, inputs: int, units: int, event_weight: float, seeds: np.random.Generator):
        """Build the head; for `event_weight` see `event_nll`."""
        super().__init__(name="continuation")
        self.event_weight = event_weight
        with keras.name_scope("continuation"):
            self.hidden = Linear(inputs, units, seeds, "hidden")
            with building_in("float32"):
                self.logit = Linear(units, 1, seeds, "logit")

    def call(self, summary: tf.Tensor) -> tf.Tensor:
        return self.logit(tf.nn.relu(self.hidden(summary)))[:, 0]

    def loss(self, summary: tf.Tensor, continuation: tf.Tensor) -> tf.Tensor:
        """Return the loss (N,) in nats, for continuations (N,) in [0, 1]."""
        return event_nll(self(summary), continuation, self.event_weight, event=0.0)

    def probability(self, summary: tf.Tensor) -> tf.Tensor:
        """Return the probability (N,) in [0, 1]."""
        return tf.sigmoid(self(summary))


def event_nll(logit: tf.Tensor, label: tf.Tensor, weight: float, event: float = 1.0) -> tf.Tensor:
    """Return the cross entropy (N,) with labels 0 or 1; the rare label, `event`, counts `weight` times.

    The logit is shifted in the loss by the logarithm of the weight (Menon et al. 2021), so that `logit` itself keeps
    the true probability.
    """
    if weight == 1.0:
        return bernoulli_nll(logit, label)
    towards = math.log(weight) if event else -math.log(weight)
    return tf.where(label == event, weight, 1.0) * bernoulli_nll(logit + towards, label)


def build_reward(
    kind: str, inputs: int, units: int, event_weight: float, seeds: np.random.Generator
) -> ClassReward | SymlogReward | HurdleReward:
    if kind == "hurdle":
        return HurdleReward(inputs, units, event_weight, seeds)
    return {"classes": ClassReward, "symlog": SymlogReward}[kind](inputs, units, seeds)


EVENT_SHIFT = 4
"""Largest random shift of the event network's two frames in training, in pixels."""
PATCH = 4
"""Side of the squares of pixels that are put into channels. Frames of other sides are continued at their edges."""
CHANGE_SCALE = 16.0
"""Factor of the change between the two frames. An event is a small change of few pixels beside all others, and a
network that has to subtract the frames itself finds it much later or never."""


class EventNetwork(Layer):
    """Two convolutions over a frame and the change to the next one, in squares of 4 x 4 pixels, and the largest value
    of each channel in space."""

    def __init__(
        self, depth: int, shift: int, shape: tuple[int, int, int], action_width: int, seeds: np.random.Generator
    ):
        """Build the network for frames of `shape` (H, W, C), which are moved together by up to `shift` pixels while it
        learns, and for actions as vectors of `action_width` numbers."""
        super().__init__(name="events")
        *sides, colours = shape
        self._padding = [[0, 0], *([0, -side % PATCH] for side in sides), [0, 0]]
        self.shift, self.summary_size = shift, 2 * depth
        channels = 2 * PATCH**2 * colours
        with keras.name_scope("events"):
            self.changes = Conv2D(channels, depth, 3, 1, seeds, "changes")
            self.act = Linear(action_width, depth, seeds, "act")
            self.far = Conv2D(depth, 2 * depth, 3, 1, seeds, "far")

    def call(self, frame: tf.Tensor, action: tf.Tensor, after: tf.Tensor, seed: tf.Tensor | None = None) -> tf.Tensor:
        """Return float32 (N, summary_size).

        Args:
            frame, after: uint8 (N, H, W, C).
            action: float32 (N, action_width), taken at the first and leading to the second (`action_vectors`).
            seed: int32 (2,) of the shift; None for none.
        """
        both = tf.concat([frame, after], -1)
        if seed is not None and self.shift:
            both = shifted(both, self.shift, seed)
        if np.any(self._padding):
            both = tf.pad(both, self._padding, "SYMMETRIC")
        before, after = tf.split(to_float(both), 2, -1)
        x = self.changes(to_patches(tf.concat([before, CHANGE_SCALE * (after - before)], -1), PATCH))
        x = tf.nn.relu(x + self.act(action)[:, None, None])
        return tf.reduce_max(tf.nn.relu(self.far(x)), (1, 2))


def shifted(images: tf.Tensor, most: int, seed: tf.Tensor) -> tf.Tensor:
    """Return images (N, H, W, C) moved by up to `most` pixels each way, all alike; edges are repeated.

    One shift for a batch is enough, as batches are many, and it is a slice where N shifts would be gathered.
    """
    _, height, width, _ = images.shape
    padded = tf.concat([images[:, :1]] * most + [images] + [images[:, -1:]] * most, 1)
    padded = tf.concat([padded[:, :, :1]] * most + [padded] + [padded[:, :, -1:]] * most, 2)
    offset = draws.uniform((2,), seed, maxval=2 * most + 1, dtype=tf.int32)
    moved = tf.slice(padded, [0, offset[0], offset[1], 0], [-1, height, width, -1])
    return tf.ensure_shape(moved, images.shape)
