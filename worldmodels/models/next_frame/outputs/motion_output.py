"""An output that copies: each pixel comes from the newest frame, along one of a few motions, or is painted.

A game's picture mostly moves. To say which pixels move along which of a few motions is far easier to learn than their
colours, and what is copied stays as crisp after fifty steps as it was.
"""

from __future__ import annotations

from typing import NamedTuple

import keras
import numpy as np
import tensorflow as tf

from worldmodels.models import devices
from worldmodels.models.copying.motion import find_motions, find_patch_motions, moved, moved_patches
from worldmodels.models.copying.patch_grid import cover
from worldmodels.models.copying.patch_shape import patch_side
from worldmodels.models.distributions import categorical_nll
from worldmodels.models.networks.encoders import from_patches, to_float, to_image, to_patches
from worldmodels.models.networks.layers import Layer
from worldmodels.models.next_frame.networks.conv_layers import Linear
from worldmodels.models.next_frame.networks.network import Decoded, Network
from worldmodels.models.next_frame.networks.patch_config import MotionOutputConfig

VOTE = 16
"""Units in which a pixel weighs its own candidates."""
STILL = 2.0
"""Logit by which standing still leads before anything is learned."""
UNCHANGED = 0.1
"""Weight with which a patch where nothing changed, as in most, counts in the loss of the patches' motions."""


class Motions(NamedTuple):
    """Motions along which a frame is copied, or what is said of them; int32 (..., 2)."""

    of_picture: tf.Tensor
    """Leading (N, motions)."""
    of_patches: tf.Tensor | None = None
    """Leading (N, *grid); None where patches have no motions of their own."""


class MotionOutput(Layer):
    """An `Output` for features of patches.

    The motions are a classification for the whole picture, learned from those that block matching finds; so is the one
    of each patch, where patches have their own. With the true ones (in training) or the most probable ones, candidates
    for each pixel are laid side by side. A small layer sees those of a quarter of a patch, and gives each of its pixels
    a distribution over the candidates and one painted colour. A smaller one, the same for all pixels, adds what the
    candidates of a pixel say by themselves: that what has the hero's colour stays need not be learned for each place
    anew.
    """

    def __init__(
        self,
        config: MotionOutputConfig,
        network: Network,
        observation_shape: tuple[int, int, int],
        seeds: np.random.Generator,
    ):
        super().__init__(name="output")
        self.config, self._shape, self.grid = config, observation_shape, network.feature_shape[:2]
        self.side = patch_side(observation_shape, self.grid)
        depth, channels = network.feature_shape[2], observation_shape[2]
        self.copies = 1 + config.motions + config.patch_motions
        self.small = self.side // 2
        pixels = self.small**2
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
        copy_costs = self._costs(copies, self._quarters(tf.concat([target] * self.copies, -1)))
        paint_costs = self._costs(paint, self._quarters(target))
        # Of a mixture's likelihood, the gradient is that of a classification by its own posterior.
        costs = tf.concat([copy_costs, tf.stop_gradient(paint_costs)], -1)
        source = tf.stop_gradient(tf.nn.softmax(choice - costs))
        nats = tf.nn.softmax_cross_entropy_with_logits(source, choice) + source[..., -1] * paint_costs[..., 0]
        if self.config.moved_scale:
            nats *= self._pixel_weights(copy_costs[..., 0], tf.stop_gradient(choice))
        return tf.reduce_mean(nats, -1) / self._shape[2] + motion_nats

    def frame(self, decoded: Decoded, newest: tf.Tensor) -> tf.Tensor:
        logits = self._motion_logits(decoded)
        copies = self._copies(newest, Motions(*(self._most_probable(x) for x in logits)))
        choice, paint = self._compare(decoded.features, copies)
        sources = tf.concat([tf.reshape(x, (-1, x.shape[-1] // self.small**2)) for x in (copies, paint)], -1)
        if self.config.blend:
            shares = tf.reshape(tf.nn.softmax(choice), (-1, self.copies + 1, 1))
            x = tf.reduce_sum(shares * tf.reshape(sources, (-1, self.copies + 1, self._shape[2])), 1)
        else:
            chosen = tf.reshape(first_largest(choice), (-1,)) + tf.range(tf.shape(sources)[0]) * (self.copies + 1)
            x = tf.gather(tf.reshape(sources, (-1, self._shape[2])), chosen)
        x = to_image(from_patches(tf.reshape(x, paint.shape), self.small))
        return x[:, : self._shape[0], : self._shape[1]]

    @property
    def _rows(self) -> tuple[int, int, int]:
        return -1, 2 * self.grid[0], 2 * self.grid[1]

    def _motion_logits(self, decoded: Decoded) -> Motions:
        """Return the logits of each motion's rows and columns, from -side to side, on two more axes."""
        size = 2 * self.side + 1
        of_picture = tf.reshape(self.motions(decoded.summary), (-1, self.config.motions, 2, size))
        if self.patch_motions is None:
            return Motions(of_picture)
        return Motions(of_picture, tf.reshape(self.patch_motions(decoded.features), (-1, *self.grid, 2, size)))

    def _most_probable(self, logits: tf.Tensor | None) -> tf.Tensor | None:
        return None if logits is None else tf.argmax(logits, -1, tf.int32) - self.side

    def _true_motions(self, decoded: Decoded, newest: tf.Tensor, target: tf.Tensor) -> tuple[Motions, tf.Tensor]:
        """Return the motions that block matching finds, and what they cost as they were foreseen, in nats (N,)."""
        logits = self._motion_logits(decoded)
        of_picture = find_motions(newest, target, self.config.motions, reach=self.side)
        nats = tf.reduce_mean(categorical_nll(logits.of_picture, of_picture + self.side), (1, 2))
        if logits.of_patches is None:
            return Motions(of_picture), nats
        of_patches, changed = find_patch_motions(self._cover(newest), self._cover(target), self.side, reach=self.side)
        patch_nats = tf.reduce_mean(categorical_nll(logits.of_patches, of_patches + self.side), -1)
        weights = tf.where(changed, 1.0, UNCHANGED)
        nats += tf.reduce_sum(weights * patch_nats, (1, 2)) / tf.reduce_sum(weights, (1, 2))
        return Motions(of_picture, of_patches), nats

    def _cover(self, images: tf.Tensor) -> tf.Tensor:
        return cover(images, self.grid, self.side)

    def _quarters(self, images: tf.Tensor) -> tf.Tensor:
        """Return images uint8 (N, H, W, C) as float32 (N, 2h, 2w, pixels * C)."""
        return to_float(to_patches(self._cover(images), self.small))

    def _copies(self, newest: tf.Tensor, motions: Motions) -> tf.Tensor:
        """Return the newest frame, and its copies along all motions: (N, 2h, 2w, pixels * copies * C)."""
        moves = [moved(newest, motions.of_picture[:, i]) for i in range(self.config.motions)]
        if motions.of_patches is not None:
            by_patch = moved_patches(self._cover(newest), motions.of_patches, self.side)
            moves.append(by_patch[:, : self._shape[0], : self._shape[1]])
        return self._quarters(tf.concat([newest, *moves], -1))

    def _compare(self, features: tf.Tensor, copies: tf.Tensor) -> tuple[tf.Tensor, tf.Tensor]:
        """Return logits (N, pixels of all quarters, copies + 1), paint last, and the paint (N, 2h, 2w, pixels * C)."""
        x = tf.nn.relu(self.compare(copies) + from_patches(self.quarter(features), 2))
        sources = self.copies + 1
        choice, paint = tf.split(self.pixels(x), [self.small**2 * sources, -1], -1)
        quarters = int(np.prod(self._rows[1:]))
        colours = tf.reshape(copies, (-1, quarters, self.small**2, self.copies * self._shape[2]))
        context = tf.reshape(self.context(tf.identity(x)), (-1, quarters, 1, VOTE))
        vote = self.vote(tf.nn.relu(self.colours(colours) + context))
        choice = tf.reshape(choice, (-1, quarters, self.small**2, sources)) + vote
        choice = tf.reshape(choice, (-1, quarters * self.small**2, sources))
        return choice + STILL * np.eye(1, sources, dtype=np.float32), paint

    def _pixel_weights(self, still_costs: tf.Tensor, choice: tf.Tensor) -> tf.Tensor:
        """Return the weights of pixels, with a mean of 1, by what standing still would cost each and by the choices.

        A pixel weighs more if it moved or was said to, by the probability of that: if only those that moved did, to say
        so wrongly would cost little, and what may be in many places would be painted in all of them.
        """
        said = 1.0 - tf.nn.softmax(choice)[..., 0]
        moved = tf.cast(still_costs > 1.0, tf.float32)
        weights = 1.0 + self.config.moved_scale * tf.maximum(moved, said)
        return weights / devices.mean_over_devices(tf.reduce_mean(weights))

    def _costs(self, made: tf.Tensor, truth: tf.Tensor) -> tf.Tensor:
        """Return deviations in nats, summed over channels: (N, pixels of all quarters, images side by side)."""
        # A product with ones is several times faster than a sum over an axis of three.
        channels = self._shape[2]
        count = made.shape[-1] // channels
        total = np.repeat(np.eye(count, dtype=np.float32), channels, 0) / self.config.spread
        costs = tf.matmul(tf.reshape(tf.abs(made - truth), (-1, count * channels)), total)
        return tf.reshape(costs, (-1, int(np.prod(self._rows[1:])) * self.small**2, count // self.small**2))


def first_largest(values: tf.Tensor) -> tf.Tensor:
    """Return what `tf.argmax` does over a last axis of a few values, in a third of its time on a CPU: int32 (...)."""
    first, *others = tf.unstack(values, axis=-1)
    largest, index = first, tf.zeros_like(first, tf.int32)
    for i, value in enumerate(others, 1):
        index = tf.where(value > largest, i, index)
        largest = tf.maximum(largest, value)
    return index
