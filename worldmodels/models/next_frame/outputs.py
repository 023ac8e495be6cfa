"""The motion output copies each pixel from the newest frame, along one of a few motions, or paints it.

A game's picture mostly moves. A choice of motion for each pixel is far easier to learn than its colour. Copied pixels
stay sharp for many steps.

An output reads a frame from the features of a network: the contract, the published softmax, and the table.
"""

from __future__ import annotations

from typing import Any, NamedTuple, Protocol

import keras
import numpy as np
import tensorflow as tf

from worldmodels.models import devices
from worldmodels.models.config import patch_side
from worldmodels.models.distributions import categorical_nll
from worldmodels.models.motion import Squares, candidates, find_motions, find_patch_motions, moved_patches
from worldmodels.models.networks.images import from_patches
from worldmodels.models.networks.layers import Layer
from worldmodels.models.next_frame.config import MotionOutputConfig, SoftmaxOutputConfig
from worldmodels.models.next_frame.networks.conv_layers import Linear
from worldmodels.models.next_frame.networks.network import Decoded, Network

VOTE = 16
"""Units of the layer that weighs the candidates of one pixel."""
SPREAD = 0.04
"""Deviation of a colour that costs one nat: a sum over channels, each from 0 to 1."""
STILL = 2.0
"""Initial advantage of standing still, as a logit."""
UNCHANGED = 0.1
"""Weight of a patch without change in the loss of the patches' motions; most patches have none."""


class Motions(NamedTuple):
    """Motions along which a frame is copied, int32 (..., 2), or their logits."""

    of_picture: tf.Tensor
    """Leading (N, motions)."""
    of_patches: tf.Tensor | None = None
    """Leading (N, *grid); None if patches have no motions of their own."""


class MotionOutput(Layer):
    """An `Output` for features of patches.

    The motions of the picture, and of each patch if it has its own, are classifications. They learn from the motions
    that block matching finds. Training copies along the true motions, imagination along the most probable ones. A small
    layer reads the candidates of a quarter of a patch, and gives each pixel a distribution over them and one painted
    colour. A smaller layer, the same for all pixels, adds logits from the candidates of a pixel alone, so that a
    colour's role is learned once for all places.
    """

    def __init__(
        self,
        config: MotionOutputConfig,
        network: Network,
        observation_shape: tuple[int, int, int],
        seeds: np.random.Generator,
    ):
        super().__init__(name="output")
        self.config, grid = config, network.feature_shape[:2]
        self.side = patch_side(observation_shape, grid)
        self.squares = Squares(observation_shape, grid, self.side)
        depth, channels = network.feature_shape[2], observation_shape[2]
        self.copies = 1 + config.motions + config.patch_motions
        pixels = self.squares.pixels
        with keras.name_scope("output"):
            self.motions = Linear(network.summary_size, config.motions * 2 * (2 * self.side + 1), seeds, "motions")
            self.patch_motions = None
            if config.patch_motions:
                self.patch_motions = Linear(depth, 2 * (2 * self.side + 1), seeds, "patch_motions")
            self.quarter = Linear(depth, 4 * config.depth, seeds, "quarter")
            self.compare = Linear(pixels * self.copies * channels, config.depth, seeds, "compare")
            self.colours = Linear(self.copies * channels, VOTE, seeds, "colours")
            self.context = Linear(config.depth, VOTE, seeds, "context")
            self.vote = Linear(VOTE, self.copies + 1, seeds, "vote")
            self.pixels = Linear(config.depth, pixels * (self.copies + 1 + channels), seeds, "pixels")

    def loss(self, decoded: Decoded, newest: tf.Tensor, target: tf.Tensor, cutoff: float) -> tf.Tensor:
        motions, motion_nats = self._true_motions(decoded, newest, target)
        copies = self._copies(newest, motions)
        choice, paint = self._compare(decoded.features, copies)
        copy_costs = self._costs(copies, self.squares.cut(tf.concat([target] * self.copies, -1)))
        paint_costs = self._costs(paint, self.squares.cut(target))
        # Of a mixture's likelihood, the gradient is that of a classification by its own posterior.
        costs = tf.concat([copy_costs, tf.stop_gradient(paint_costs)], -1)
        source = tf.stop_gradient(tf.nn.softmax(choice - costs))
        nats = tf.nn.softmax_cross_entropy_with_logits(source, choice) + source[..., -1] * paint_costs[..., 0]
        if self.config.moved_scale:
            nats *= self._pixel_weights(copy_costs[..., 0], tf.stop_gradient(choice))
        return tf.reduce_mean(nats, -1) / self.squares.shape[2] + motion_nats

    def frame(self, decoded: Decoded, newest: tf.Tensor) -> tf.Tensor:
        logits = self._motion_logits(decoded)
        copies = self._copies(newest, Motions(*(self._most_probable(x) for x in logits)))
        choice, paint = self._compare(decoded.features, copies)
        channels, pixels = self.squares.shape[2], self.squares.pixels
        sources = tf.concat([tf.reshape(x, (-1, x.shape[-1] // pixels)) for x in (copies, paint)], -1)
        if self.config.blend:
            shares = tf.reshape(tf.nn.softmax(choice), (-1, self.copies + 1, 1))
            x = tf.reduce_sum(shares * tf.reshape(sources, (-1, self.copies + 1, channels)), 1)
        else:
            chosen = tf.reshape(first_largest(choice), (-1,)) + tf.range(tf.shape(sources)[0]) * (self.copies + 1)
            x = tf.gather(tf.reshape(sources, (-1, channels)), chosen)
        return self.squares.join(tf.reshape(x, paint.shape))

    def _motion_logits(self, decoded: Decoded) -> Motions:
        """Return the logits of each motion's rows and columns, from -side to side, on two more axes."""
        size = 2 * self.side + 1
        of_picture = tf.reshape(self.motions(decoded.summary), (-1, self.config.motions, 2, size))
        if self.patch_motions is None:
            return Motions(of_picture)
        return Motions(of_picture, tf.reshape(self.patch_motions(decoded.features), (-1, *self.squares.grid, 2, size)))

    def _most_probable(self, logits: tf.Tensor | None) -> tf.Tensor | None:
        return None if logits is None else tf.argmax(logits, -1, tf.int32) - self.side

    def _true_motions(self, decoded: Decoded, newest: tf.Tensor, target: tf.Tensor) -> tuple[Motions, tf.Tensor]:
        """Return the motions that block matching finds, and the cost of their prediction in nats (N,)."""
        logits = self._motion_logits(decoded)
        of_picture = find_motions(newest, target, self.config.motions, reach=self.side)
        nats = tf.reduce_mean(categorical_nll(logits.of_picture, of_picture + self.side), (1, 2))
        if logits.of_patches is None:
            return Motions(of_picture), nats
        before, after = self.squares.cover(newest), self.squares.cover(target)
        of_patches, changed = find_patch_motions(before, after, self.side, reach=self.side)
        patch_nats = tf.reduce_mean(categorical_nll(logits.of_patches, of_patches + self.side), -1)
        weights = tf.where(changed, 1.0, UNCHANGED)
        nats += tf.reduce_sum(weights * patch_nats, (1, 2)) / tf.reduce_sum(weights, (1, 2))
        return Motions(of_picture, of_patches), nats

    def _copies(self, newest: tf.Tensor, motions: Motions) -> tf.Tensor:
        """Return the newest frame, and its copies along all motions: (N, 2h, 2w, pixels * copies * C)."""
        copies = candidates(newest, motions.of_picture)
        if motions.of_patches is not None:
            by_patch = moved_patches(self.squares.cover(newest), motions.of_patches, self.side)
            copies.append(by_patch[:, : newest.shape[1], : newest.shape[2]])
        return self.squares.cut(tf.concat(copies, -1))

    def _compare(self, features: tf.Tensor, copies: tf.Tensor) -> tuple[tf.Tensor, tf.Tensor]:
        """Return logits (N, pixels of all quarters, copies + 1), paint last, and the paint (N, 2h, 2w, pixels * C)."""
        x = tf.nn.relu(self.compare(copies) + from_patches(self.quarter(features), 2))
        sources, quarters, pixels = self.copies + 1, self.squares.total, self.squares.pixels
        choice, paint = tf.split(self.pixels(x), [pixels * sources, -1], -1)
        colours = tf.reshape(copies, (-1, quarters, pixels, self.copies * self.squares.shape[2]))
        context = tf.reshape(self.context(tf.identity(x)), (-1, quarters, 1, VOTE))
        vote = self.vote(tf.nn.relu(self.colours(colours) + context))
        choice = tf.reshape(choice, (-1, quarters, pixels, sources)) + vote
        choice = tf.reshape(choice, (-1, quarters * pixels, sources))
        return choice + STILL * np.eye(1, sources, dtype=np.float32), paint

    def _pixel_weights(self, still_costs: tf.Tensor, choice: tf.Tensor) -> tf.Tensor:
        """Return the weights of pixels, with a mean of 1, from their costs of standing still and the choices.

        A pixel weighs more if it moved, or by its predicted probability of motion. Without the latter a wrong
        prediction would cost little, and a small thing would be painted in many places.
        """
        said = 1.0 - tf.nn.softmax(choice)[..., 0]
        moved = tf.cast(still_costs > 1.0, tf.float32)
        weights = 1.0 + self.config.moved_scale * tf.maximum(moved, said)
        return weights / devices.mean_over_devices(tf.reduce_mean(weights))

    def _costs(self, made: tf.Tensor, truth: tf.Tensor) -> tf.Tensor:
        """Return deviations in nats, summed over channels: (N, pixels of all quarters, images side by side)."""
        # A product with ones is several times faster than a sum over an axis of three.
        channels, pixels = self.squares.shape[2], self.squares.pixels
        count = made.shape[-1] // channels
        total = np.repeat(np.eye(count, dtype=np.float32), channels, 0) / SPREAD
        costs = tf.matmul(tf.reshape(tf.abs(made - truth), (-1, count * channels)), total)
        return tf.reshape(costs, (-1, self.squares.total * pixels, count // pixels))


def first_largest(values: tf.Tensor) -> tf.Tensor:
    """Return `tf.argmax` over a last axis of a few values, in a third of its time on a CPU: int32 (...)."""
    first, *others = tf.unstack(values, axis=-1)
    largest, index = first, tf.zeros_like(first, tf.int32)
    for i, value in enumerate(others, 1):
        index = tf.where(value > largest, i, index)
        largest = tf.maximum(largest, value)
    return index


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
