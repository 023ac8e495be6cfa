"""A picture that is sharp: each pixel is copied from the frame before, along one of a few motions, or painted.

What a state says of its frame is blurred. But it says enough to tell which of a few colours is the right one, and the
frame before offers them. One letter per axis: N rows, P pixels of an image in squares, S sources of a pixel.
"""

from __future__ import annotations

from typing import NamedTuple

import keras
import numpy as np
import tensorflow as tf

from worldmodels.models.copying.motion import edge_correlation, find_motions, moved, offsets
from worldmodels.models.copying.patch_grid import cover
from worldmodels.models.copying.patch_shape import grid_shape
from worldmodels.models.distributions import categorical_nll
from worldmodels.models.networks.encoders import from_patches, to_float, to_image, to_patches
from worldmodels.models.networks.layers import Dense, Layer
from worldmodels.models.precision import full
from worldmodels.models.rssm.config import PictureConfig

REACH = 8
"""Pixels by which a picture moves in a step, at most, down or right."""
PATCH, SQUARE = 8, 4
"""Sides in pixels: of the patches in which the frame before is read, and of their quarters, which are painted."""
DEPTH = 16
"""Channels of a patch of the frame before, and of what state and frame before say together of it."""
MOTION_SCALE = 5.0
"""Weight of a motion's nats beside half the squared error of an image, summed over its pixels."""


class Painted(NamedTuple):
    """Pictures, and the motions along which they were copied."""

    squares: tf.Tensor
    """float32 (N, h, w, SQUARE * SQUARE * C), in [-0.5, 0.5] or a little outside."""
    motions: tf.Tensor
    """float32 (N, motions, (2 * REACH + 1) ** 2): logits of each motion, in the order of `offsets`."""


class PictureDecoder(Layer):
    """Pictures from features, from what the state alone says of the image, and from the frame before.

    State and frame before meet in one vector, which gives a few motions of the whole picture, together with how well
    the edges of both agree: so what drifted apart in the course of many steps comes together again. The sources of a
    pixel are the frame before, its copies along the motions, and the image of the state alone, to which a correction
    is painted. A small layer, the same everywhere, sees the sources of a square and weighs them for each of its pixels.
    The picture is their weighted mean: where it is not certain, that has the least squared error.
    """

    def __init__(self, config: PictureConfig, features: int, shape: tuple[int, int, int], seeds: np.random.Generator):
        super().__init__(name="picture")
        self.config, self._shape = config, shape
        self._grid = grid_shape(shape, PATCH)
        self._sources, self._pixels = config.motions + 2, SQUARE**2
        patches = int(np.prod(self._grid))
        colours = self._pixels * shape[2]
        with keras.name_scope("picture"):
            self.near = Dense(PATCH**2 * shape[2], DEPTH, seeds, "near")
            self.before = Dense(patches * DEPTH, config.units, seeds, "before")
            self.state = Dense(features, config.units, seeds, "state")
            self.motions = Dense(config.units, config.motions * 2 * (2 * REACH + 1), seeds, "motions")
            self.agreement = self.add_weight(name="agreement", shape=(config.motions, 1), initializer="ones")
            self.spread = Dense(config.units, patches * DEPTH, seeds, "spread")
            self.context = Dense(DEPTH, 4 * config.depth, seeds, "context")
            self.compare = Dense(self._sources * colours, config.depth, seeds, "compare")
            self.choice = Dense(config.depth, self._pixels * self._sources, seeds, "choice")
            self.distance = Dense(self._sources - 1, self._sources, seeds, "distance")
            self.correction = Dense(config.depth, colours, seeds, "correction")

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
        copies = [moved(before, motions[:, i]) for i in range(self.config.motions)]
        sources = [self._in_squares(images) for images in (before, *copies, alone)]
        hidden = self._compare(sources, together)
        correction = tf.reshape(full(self.correction(hidden)), (-1, self._pixels, self._shape[2]))
        weights = tf.split(tf.nn.softmax(self._choice(sources, tf.identity(hidden))), self._sources, -1)
        colours = [tf.reshape(source, (-1, self._pixels, self._shape[2])) for source in sources]
        picture = weights[-1] * (colours[-1] + correction)
        for weight, colour in zip(weights[:-1], colours[:-1], strict=True):
            picture += weight * colour
        rows, columns = self._grid
        return Painted(tf.reshape(picture, (-1, 2 * rows, 2 * columns, self._pixels * self._shape[2])), logits)

    def images(self, painted: Painted) -> tf.Tensor:
        """Return painted pictures as uint8 (N, H, W, C)."""
        images = to_image(from_patches(painted.squares, SQUARE))
        return images[:, : self._shape[0], : self._shape[1]]

    def loss(self, painted: Painted, before: tf.Tensor, target: tf.Tensor) -> tuple[tf.Tensor, tf.Tensor]:
        """Return half the squared error of each picture, summed over its pixels, and its motions' nats: (N,) each.

        Args:
            before: uint8 (N, H, W, C), that of `paint`.
            target: uint8 (N, H, W, C), the true frames.
        """
        error = painted.squares - self._in_squares(target)
        found = find_motions(before, target, self.config.motions, REACH)
        index = (found[..., 0] + REACH) * (2 * REACH + 1) + found[..., 1] + REACH
        nats = tf.reduce_sum(categorical_nll(painted.motions, index), 1)
        return 0.5 * tf.reduce_sum(tf.square(error), (1, 2, 3)), nats

    def _meet(self, features: tf.Tensor, before: tf.Tensor) -> tf.Tensor:
        """Return what features and frame before say together, (N, units)."""
        patches = to_float(to_patches(cover(before, self._grid, PATCH), PATCH))
        seen = tf.nn.elu(self.near(tf.reshape(patches, (-1, patches.shape[-1]))))
        seen = self.before(tf.reshape(seen, (-1, self.before.kernel.shape[0])))
        return tf.nn.elu(full(self.state(features)) + full(seen))

    def _motion_logits(self, together: tf.Tensor, agreement: tf.Tensor) -> tf.Tensor:
        """Return the logits of the motions, (N, motions, (2 * REACH + 1) ** 2): of rows, of columns, of both."""
        side = 2 * REACH + 1
        parts = tf.reshape(full(self.motions(together)), (-1, self.config.motions, 2 * side))
        rows, columns = parts[..., :side, None], parts[..., None, side:]
        return tf.reshape(rows + columns, (-1, self.config.motions, side**2)) + self.agreement * agreement[:, None]

    def _in_squares(self, images: tf.Tensor) -> tf.Tensor:
        """Return images uint8 (N, H, W, C) as float32 (N, h, w, SQUARE * SQUARE * C)."""
        return to_float(to_patches(cover(images, self._grid, PATCH), SQUARE))

    def _compare(self, sources: list[tf.Tensor], together: tf.Tensor) -> tf.Tensor:
        """Return the hidden units of each square, (N * h * w, depth)."""
        context = full(self.context(tf.nn.elu(tf.reshape(self.spread(together), (-1, DEPTH)))))
        context = from_patches(tf.reshape(context, (-1, *self._grid, context.shape[-1])), 2)
        colours = tf.concat(sources, -1)
        seen = full(self.compare(tf.reshape(colours, (-1, colours.shape[-1]))))
        return tf.nn.relu(seen + tf.reshape(context, (-1, seen.shape[-1])))

    def _choice(self, sources: list[tf.Tensor], hidden: tf.Tensor) -> tf.Tensor:
        """Return the logits of the sources, the state alone last: float32 (N * h * w, P, S).

        How far the colour of each source is from what the state alone says decides the same way everywhere.
        """
        channels = self._shape[2]
        total = np.ones((channels, 1), np.float32)  # a product is several times faster than a sum over an axis of three
        distances = [
            tf.matmul(tf.reshape(tf.abs(source - sources[-1]), (-1, channels)), total) for source in sources[:-1]
        ]
        choice = full(self.distance(tf.concat(distances, -1)))
        choice = tf.reshape(choice, (-1, self._pixels, self._sources))
        return choice + tf.reshape(full(self.choice(hidden)), (-1, self._pixels, self._sources))
