"""A grid of patches covers an image of any size; in the quarters of its patches, pixels are copied or painted."""

from __future__ import annotations

from typing import NamedTuple

import tensorflow as tf

from worldmodels.models.copying.motion import moved
from worldmodels.models.networks.encoders import from_patches, to_float, to_image, to_patches


class Squares(NamedTuple):
    """The squares of a picture: the quarters of patches, each with the same number of pixels."""

    shape: tuple[int, int, int]
    """(H, W, C) of the picture."""
    grid: tuple[int, int]
    """Rows and columns of patches."""
    patch: int
    """Side of a patch in pixels, even."""

    @property
    def side(self) -> int:
        """Return the side of a square in pixels."""
        return self.patch // 2

    @property
    def pixels(self) -> int:
        """Return the number of pixels in a square."""
        return self.side**2

    @property
    def total(self) -> int:
        """Return the number of squares in a picture."""
        return 4 * self.grid[0] * self.grid[1]

    def cover(self, images: tf.Tensor) -> tf.Tensor:
        """Return images (N, H, W, C), mirrored as far as the grid reaches."""
        return cover(images, self.grid, self.patch)

    def cut(self, images: tf.Tensor) -> tf.Tensor:
        """Return images uint8 (N, H, W, C) as float32 squares (N, 2 rows, 2 columns, pixels * C) in [-0.5, 0.5]."""
        return to_float(to_patches(self.cover(images), self.side))

    def join(self, squares: tf.Tensor) -> tf.Tensor:
        """Return the inverse of `cut`, rounded and clipped."""
        return to_image(from_patches(squares, self.side))[:, : self.shape[0], : self.shape[1]]


def candidates(images: tf.Tensor, motions: tf.Tensor) -> list[tf.Tensor]:
    """Return the images that pixels may be copied from: `images` (N, H, W, C), and copies along motions (N, M, 2)."""
    return [images, *(moved(images, motions[:, i]) for i in range(motions.shape[1]))]


def cover(images: tf.Tensor, grid: tuple[int, int], side: int) -> tf.Tensor:
    """Return images (N, H, W, C), mirrored below and to the right as far as the grid reaches."""
    below, right = grid[0] * side - images.shape[1], grid[1] * side - images.shape[2]
    return tf.pad(images, [[0, 0], [0, below], [0, right], [0, 0]], "SYMMETRIC") if below or right else images


def patches_of(images: tf.Tensor, grid: tuple[int, int], side: int) -> tf.Tensor:
    """Return images uint8 (N, H, W, C) as float32 patches (N, *grid, side * side * C) in [-0.5, 0.5]."""
    return to_float(to_patches(cover(images, grid, side), side))
