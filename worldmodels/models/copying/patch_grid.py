"""Images cut into a grid of patches that covers them, whatever their size."""

from __future__ import annotations

import tensorflow as tf

from worldmodels.models.networks.encoders import to_patches


def cover(images: tf.Tensor, grid: tuple[int, int], side: int) -> tf.Tensor:
    """Return images (N, H, W, C), mirrored below and to the right as far as the grid goes."""
    below, right = grid[0] * side - images.shape[1], grid[1] * side - images.shape[2]
    return tf.pad(images, [[0, 0], [0, below], [0, right], [0, 0]], "SYMMETRIC") if below or right else images


def patches_of(images: tf.Tensor, grid: tuple[int, int], side: int) -> tf.Tensor:
    """Return images uint8 (N, H, W, C) as float32 patches (N, *grid, side * side * C) in [-0.5, 0.5]."""
    return tf.cast(to_patches(cover(images, grid, side), side), tf.float32) * (1 / 255) - 0.5
