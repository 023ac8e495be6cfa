"""The picture decoder learns from pairs of successive frames of a batch, with its own optimizer.

It reads the states and does not train them, so a model learns the same with and without it. Half of the pairs begin
with the decoder's own picture, because it copies from such pictures in imagination.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import tensorflow as tf

from worldmodels.core.types import Batch
from worldmodels.models.config import LaPropConfig, OptimizerConfig
from worldmodels.models.optimizers.build import build_optimizer
from worldmodels.models.optimizers.optimizer import Gradients
from worldmodels.models.rssm.config import PictureConfig
from worldmodels.models.rssm.picture import MOTION_SCALE, PictureDecoder
from worldmodels.models.variables import load_variables, named_variables, save_variables


class PictureInputs(NamedTuple):
    """N moments of a batch, as a picture is painted of them."""

    features: tf.Tensor
    """float32 (N, F)."""
    alone: tf.Tensor
    """uint8 (N, H, W, C): the images of the states alone."""
    before: tf.Tensor
    """uint8 (N, H, W, C): the frames one step before."""


class Pairs(NamedTuple):
    """N pairs of successive frames; the first M = N // 2 pairs may begin with the decoder's own picture."""

    now: PictureInputs
    """The N moments of the second frames."""
    target: tf.Tensor
    """uint8 (N, H, W, C): the second frames."""
    earlier: PictureInputs
    """The M moments one step before."""
    own: tf.Tensor
    """bool (M,): whether the picture of the earlier moment takes the place of its frame: there is one before it."""
    possible: tf.Tensor
    """float32 (N,): 0 where an episode begins between the two moments, else 1."""


class LearnedPicture:
    """A picture decoder with its optimizer."""

    def __init__(
        self,
        config: PictureConfig,
        features: int,
        observation_shape: tuple[int, int, int],
        seeds: np.random.Generator,
        optimizer: OptimizerConfig | LaPropConfig,
    ):
        self.count, self.every = config.pairs, config.every
        self.decoder = PictureDecoder(config, features, observation_shape, seeds)
        self.variables = named_variables([self.decoder])
        self.optimizer = build_optimizer(self.variables, optimizer)

    def images(self, features: tf.Tensor, alone: tf.Tensor, before: tf.Tensor) -> tf.Tensor:
        """Return pictures uint8 (N, H, W, C); the arguments as in `PictureDecoder.paint`."""
        return self.decoder.images(self.decoder.paint(features, alone, before))

    def gradients(self, pairs: Pairs) -> tuple[Gradients, dict[str, tf.Tensor]]:
        """Return the gradients of a loss on pairs, and metrics; nothing is changed."""
        now, half = pairs.now, pairs.own.shape[0]
        before = now.before
        if half:
            own = tf.where(pairs.own[:, None, None, None], self.images(*pairs.earlier), before[:half])
            before = tf.concat([own, before[half:]], 0)
        count = tf.maximum(tf.reduce_sum(pairs.possible), 1.0)
        with tf.GradientTape() as tape:
            painted = self.decoder.paint(now.features, now.alone, before)
            losses = self.decoder.loss(painted, before, pairs.target)
            image, motion = (tf.reduce_sum(loss * pairs.possible) / count for loss in losses)
            loss = image + MOTION_SCALE * motion
        return self.optimizer.gradients(tape, loss), {"picture_loss": image, "motion_loss": motion}

    def save(self) -> dict[str, Any]:
        """Return everything that was learned, and the optimizer's state."""
        return {"weights": save_variables(self.variables), "optimizer": self.optimizer.save()}

    def load(self, tree: dict[str, Any]) -> None:
        """Restore a tree that `save` returned.

        Raises:
            CheckpointError: names or shapes differ.
        """
        load_variables(self.variables, tree.get("weights", {}), "the world model's picture decoder")
        self.optimizer.load(tree["optimizer"])


def choose_pairs(
    batch: Batch,
    features: tf.Tensor,
    decode: Callable[[tf.Tensor], tf.Tensor],
    count: int,
    seed: tf.Tensor,
) -> Pairs:
    """Return `count` pairs of a batch of B windows of T steps, or all B (T - 1) where it has no more.

    Args:
        features: float32 (B, T, F), of the states that observed the frames.
        decode: gives the images of features (N, F): uint8 (N, H, W, C).
        seed: int32 (2,).
    """
    windows, steps = batch.is_first.shape
    is_first = tf.convert_to_tensor(batch.is_first)
    order = tf.random.stateless_uniform((windows, steps - 1), seed)
    order = tf.reshape(tf.where(is_first[:, 1:], order - 1.0, order), (-1,))  # impossible ones come last
    chosen = tf.math.top_k(order, min(count, windows * (steps - 1))).indices
    place = tf.stack([chosen // (steps - 1), chosen % (steps - 1) + 1], -1)  # window and step
    half = chosen.shape[0] // 2
    one = tf.constant([0, 1])

    def moments(place: tf.Tensor) -> PictureInputs:
        found = tf.gather_nd(features, place)
        return PictureInputs(found, decode(found), tf.gather_nd(batch.observation, tf.maximum(place - one, 0)))

    earlier = place[:half] - one
    return Pairs(
        moments(place),
        tf.gather_nd(batch.observation, place),
        moments(earlier),
        (earlier[:, 1] > 0) & ~tf.gather_nd(is_first, earlier),
        1.0 - tf.cast(tf.gather_nd(is_first, place), tf.float32),
    )
