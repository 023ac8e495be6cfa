"""The picture decoder sharpens images: it copies each pixel from the frame before, along a few motions, or paints it.

An image from the state alone is blurred, but good enough to choose the right colour among a few. The frame before
offers these colours. One letter per axis: N rows, P pixels of an image in squares, S sources of a pixel.

The picture decoder learns from pairs of successive frames of a batch, with its own optimizer.

It reads the states and does not train them, so a model learns the same with and without it. Half of the pairs begin
with the decoder's own picture, because it copies from such pictures in imagination.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import keras
import numpy as np
import tensorflow as tf

from worldmodels.core.types import Batch
from worldmodels.models import draws
from worldmodels.models.config import LaPropConfig, OptimizerConfig, grid_shape
from worldmodels.models.distributions import categorical_nll
from worldmodels.models.motion import Squares, candidates, edge_correlation, find_motions, offsets, patches_of
from worldmodels.models.networks.images import from_patches
from worldmodels.models.networks.layers import Dense, Layer
from worldmodels.models.optimizers import Gradients, build_optimizer
from worldmodels.models.precision import full
from worldmodels.models.variables import load_variables, named_variables, save_variables

MOTIONS = 2
"""Number of motions of the whole picture, in addition to standing still."""
PAIRS = 3
"""Pairs of successive frames in each update, or as many as the batch has."""
REACH = 8
"""Pixels by which a picture moves in a step, at most, down or right."""
PATCH = 8
"""Side in pixels of the patches in which the frame before is read; their quarters are painted."""
DEPTH = 16
"""Channels of a patch of the frame before, and of a patch's share of the joint vector."""
UNITS = 128
"""Units of the layer that joins the state and the frame before."""
CHOICE_UNITS = 64
"""Units of the layer that chooses for each pixel of a square of 4 x 4 pixels."""
MOTION_SCALE = 5.0
"""Weight of a motion's nats beside half the squared error of an image, summed over its pixels."""


class Painted(NamedTuple):
    """Pictures, and the motions along which they were copied."""

    squares: tf.Tensor
    """float32 (N, h, w, pixels * C), in [-0.5, 0.5] or a little outside."""
    motions: tf.Tensor
    """float32 (N, motions, (2 * REACH + 1) ** 2): logits of each motion, in the order of `offsets`."""


class PictureDecoder(Layer):
    """Pictures from features, the image of the state alone, and the frame before.

    State and frame before are joined in one vector, which gives a few motions of the whole picture. The agreement of
    the edges of both images adds to their logits, so that they stay aligned over many steps. The sources of a pixel are
    the frame before, its copies along the motions, and the image of the state alone, to which a correction is painted.
    A small layer, the same everywhere, reads the sources of a square and weighs them for each of its pixels. The
    picture is their weighted mean: where it is not certain, that has the least squared error.
    """

    def __init__(self, features: int, shape: tuple[int, int, int], seeds: np.random.Generator):
        super().__init__(name="picture")
        self._shape = shape
        self._squares = Squares(shape, grid_shape(shape, PATCH), PATCH)
        self._sources, self._pixels = MOTIONS + 2, self._squares.pixels
        patches = int(np.prod(self._squares.grid))
        colours = self._pixels * shape[2]
        with keras.name_scope("picture"):
            self.near = Dense(PATCH**2 * shape[2], DEPTH, seeds, "near")
            self.before = Dense(patches * DEPTH, UNITS, seeds, "before")
            self.state = Dense(features, UNITS, seeds, "state")
            self.motions = Dense(UNITS, MOTIONS * 2 * (2 * REACH + 1), seeds, "motions")
            self.agreement = self.add_weight(name="agreement", shape=(MOTIONS, 1), initializer="ones")
            self.spread = Dense(UNITS, patches * DEPTH, seeds, "spread")
            self.context = Dense(DEPTH, 4 * CHOICE_UNITS, seeds, "context")
            self.compare = Dense(self._sources * colours, CHOICE_UNITS, seeds, "compare")
            self.choice = Dense(CHOICE_UNITS, self._pixels * self._sources, seeds, "choice")
            self.distance = Dense(self._sources - 1, self._sources, seeds, "distance")
            self.correction = Dense(CHOICE_UNITS, colours, seeds, "correction")

    def paint(self, features: tf.Tensor, alone: tf.Tensor, before: tf.Tensor) -> Painted:
        """Paint N pictures.

        Args:
            features: float32 (N, F).
            alone: uint8 (N, H, W, C), the images of the states alone.
            before: uint8 (N, H, W, C).
        """
        together = self._meet(features, before)
        logits = self._motion_logits(together, edge_correlation(before, alone, REACH))
        motions = tf.gather(offsets(REACH), tf.argmax(logits, -1, tf.int32))
        sources = [self._squares.cut(images) for images in (*candidates(before, motions), alone)]
        hidden = self._compare(sources, together)
        correction = tf.reshape(full(self.correction(hidden)), (-1, self._pixels, self._shape[2]))
        weights = tf.split(tf.nn.softmax(self._choice(sources, tf.identity(hidden))), self._sources, -1)
        colours = [tf.reshape(source, (-1, self._pixels, self._shape[2])) for source in sources]
        picture = weights[-1] * (colours[-1] + correction)
        for weight, colour in zip(weights[:-1], colours[:-1], strict=True):
            picture += weight * colour
        rows, columns = self._squares.grid
        return Painted(tf.reshape(picture, (-1, 2 * rows, 2 * columns, self._pixels * self._shape[2])), logits)

    def images(self, painted: Painted) -> tf.Tensor:
        """Return painted pictures as uint8 (N, H, W, C)."""
        return self._squares.join(painted.squares)

    def loss(self, painted: Painted, before: tf.Tensor, target: tf.Tensor) -> tuple[tf.Tensor, tf.Tensor]:
        """Return half the squared error of each picture, summed over its pixels, and its motions' nats: (N,) each.

        Args:
            before: uint8 (N, H, W, C), that of `paint`.
            target: uint8 (N, H, W, C), the true frames.
        """
        error = painted.squares - self._squares.cut(target)
        found = find_motions(before, target, MOTIONS, REACH)
        index = (found[..., 0] + REACH) * (2 * REACH + 1) + found[..., 1] + REACH
        nats = tf.reduce_sum(categorical_nll(painted.motions, index), 1)
        return 0.5 * tf.reduce_sum(tf.square(error), (1, 2, 3)), nats

    def _meet(self, features: tf.Tensor, before: tf.Tensor) -> tf.Tensor:
        """Return the joint vector of features and frame before, (N, units)."""
        patches = patches_of(before, self._squares.grid, PATCH)
        seen = tf.nn.elu(self.near(tf.reshape(patches, (-1, patches.shape[-1]))))
        seen = self.before(tf.reshape(seen, (-1, self.before.kernel.shape[0])))
        return tf.nn.elu(full(self.state(features)) + full(seen))

    def _motion_logits(self, together: tf.Tensor, agreement: tf.Tensor) -> tf.Tensor:
        """Return the logits of the motions, (N, motions, (2 * REACH + 1) ** 2): of rows, of columns, of both."""
        side = 2 * REACH + 1
        parts = tf.reshape(full(self.motions(together)), (-1, MOTIONS, 2 * side))
        rows, columns = parts[..., :side, None], parts[..., None, side:]
        return tf.reshape(rows + columns, (-1, MOTIONS, side**2)) + self.agreement * agreement[:, None]

    def _compare(self, sources: list[tf.Tensor], together: tf.Tensor) -> tf.Tensor:
        """Return the hidden units of each square, (N * h * w, depth)."""
        context = full(self.context(tf.nn.elu(tf.reshape(self.spread(together), (-1, DEPTH)))))
        context = from_patches(tf.reshape(context, (-1, *self._squares.grid, context.shape[-1])), 2)
        colours = tf.concat(sources, -1)
        seen = full(self.compare(tf.reshape(colours, (-1, colours.shape[-1]))))
        return tf.nn.relu(seen + tf.reshape(context, (-1, seen.shape[-1])))

    def _choice(self, sources: list[tf.Tensor], hidden: tf.Tensor) -> tf.Tensor:
        """Return the logits of the sources, the state alone last: float32 (N * h * w, P, S).

        A layer that is the same for all pixels reads each source's distance from the colour of the state alone.
        """
        channels = self._shape[2]
        total = np.ones((channels, 1), np.float32)  # a product is several times faster than a sum over an axis of three
        distances = [
            tf.matmul(tf.reshape(tf.abs(source - sources[-1]), (-1, channels)), total) for source in sources[:-1]
        ]
        choice = full(self.distance(tf.concat(distances, -1)))
        choice = tf.reshape(choice, (-1, self._pixels, self._sources))
        return choice + tf.reshape(full(self.choice(hidden)), (-1, self._pixels, self._sources))


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
    """A picture decoder with its optimizer.

    Args:
        every: updates of the model for each update of the decoder.
    """

    def __init__(
        self,
        every: int,
        features: int,
        observation_shape: tuple[int, int, int],
        seeds: np.random.Generator,
        optimizer: OptimizerConfig | LaPropConfig,
    ):
        self.every = every
        self.decoder = PictureDecoder(features, observation_shape, seeds)
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
    order = draws.uniform((windows, steps - 1), seed)
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
