"""Images cut into a grid of patches that covers them, whatever their size."""

from __future__ import annotations

import tensorflow as tf

from worldmodels.models.encoders import to_patches


def grid_shape(observation_shape: tuple[int, int, int], patch: int) -> tuple[int, int]:
    """Return rows and columns of patches with sides of at most `patch`, an even number."""
    return -(-observation_shape[0] // patch), -(-observation_shape[1] // patch)


def patch_side(observation_shape: tuple[int, int, int], grid: tuple[int, int]) -> int:
    """Return the least even side of patches with which the grid covers the image."""
    side = max(-(-pixels // count) for pixels, count in zip(observation_shape, grid, strict=False))
    return side + side % 2


def cover(images: tf.Tensor, grid: tuple[int, int], side: int) -> tf.Tensor:
    """Return images (N, H, W, C), mirrored below and to the right as far as the grid goes."""
    below, right = grid[0] * side - images.shape[1], grid[1] * side - images.shape[2]
    return tf.pad(images, [[0, 0], [0, below], [0, right], [0, 0]], "SYMMETRIC") if below or right else images


def patches_of(images: tf.Tensor, grid: tuple[int, int], side: int) -> tf.Tensor:
    """Return images uint8 (N, H, W, C) as float32 patches (N, *grid, side * side * C) in [-0.5, 0.5]."""
    return tf.cast(to_patches(cover(images, grid, side), side), tf.float32) * (1 / 255) - 0.5
