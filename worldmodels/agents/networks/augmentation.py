"""Boxes of one colour hide parts of images while an agent learns (CoinRun's cutout, Cobbe et al. 2019)."""

from __future__ import annotations

import tensorflow as tf

BOXES = 5
"""The most boxes that are painted over an image."""
SMALLEST, LARGEST = 0.1, 0.35
"""Sides of a box, as shares of the image's."""


def paint_boxes(images: tf.Tensor, channels: int, seed: tf.Tensor) -> tf.Tensor:
    """Paint 0 to 5 boxes over each image, all drawn uniformly: how many, where, how large, which colour.

    A box covers the same place in all frames of a stack, in one colour.

    Args:
        images: uint8 (N, H, W, F), stacks of F / `channels` frames.
        channels: of one frame.
        seed: int32 (2,).
    """
    count, height, width, depth = images.shape
    seeds = tf.unstack(tf.random.split(seed, 4))
    boxes = tf.random.stateless_uniform((count,), seeds[0], 0, BOXES + 1, tf.int32)
    sides = tf.random.stateless_uniform((count, BOXES, 2), seeds[1], SMALLEST, LARGEST)
    corners = tf.random.stateless_uniform((count, BOXES, 2), seeds[2]) * (1.0 - sides)
    colours = tf.random.stateless_uniform((count, BOXES, channels), seeds[3], 0, 256, tf.int32)
    colours = tf.tile(tf.cast(colours, tf.uint8), (1, 1, depth // channels))

    def inside(axis: int, pixels: int) -> tf.Tensor:
        """Return which rows, or columns, each box covers: bool (N, boxes, pixels)."""
        centres = (tf.range(pixels, dtype=tf.float32) + 0.5) / pixels
        start, side = corners[:, :, axis, None], sides[:, :, axis, None]
        return (centres >= start) & (centres < start + side)

    rows, columns = inside(0, height), inside(1, width)
    for i in range(BOXES):
        covered = (i < boxes)[:, None, None] & rows[:, i, :, None] & columns[:, i, None, :]
        images = tf.where(covered[..., None], colours[:, i, None, None, :], images)
    return images
