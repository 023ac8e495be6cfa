"""Motions of a whole picture and of its patches are found by block matching, as in video codecs, and applied.

A motion is how far the content moves, int32 (2,): down and right, in pixels. Pixels from beyond the border repeat the
border.

A grid of patches covers an image of any size; in the quarters of its patches, pixels are copied or painted.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import tensorflow as tf

from worldmodels.models.graph import is_portable
from worldmodels.models.networks.images import from_patches, to_float, to_image, to_patches

POINTS = 64
"""Pixels on which the motions of a picture are judged, anywhere among those that changed. Not those that changed the
most: they lie along one edge, which looks the same however far it moved along itself."""
PATCH_POINTS = 8
"""The same for the motion of a patch."""
NOTICEABLE = 0.05
"""A change of brightness, from 0 to 1, that counts as motion. A source that is off by half of it costs half."""
FAR = 1e-3
"""Price of a motion for each pixel of its way, in pixels unexplained: of equally good ones, the shortest is found."""
PATCH_FAR = 1e-2
"""The same for the motion of a patch, which is judged on fewer pixels."""
WEIGHTS = (0.5, 0.3, 0.2)
"""Weights of the first three channels in the brightness; unequal, so that colours of equal sum differ."""


def offsets(reach: int) -> np.ndarray:
    """Return the rows and columns of each motion: int32 ((2 reach + 1) ** 2, 2)."""
    side = np.arange(-reach, reach + 1, dtype=np.int32)
    return np.stack(np.meshgrid(side, side, indexing="ij"), -1).reshape(-1, 2)


def moved(images: tf.Tensor, motion: tf.Tensor) -> tf.Tensor:
    """Return images (N, H, W, C), each with its content moved by its `motion` (N, 2)."""
    return _drawn_from(images, motion[:, None, None])


def moved_patches(images: tf.Tensor, motions: tf.Tensor, side: int) -> tf.Tensor:
    """Return images (N, H, W, C) whose patches are each moved by a motion.

    Args:
        motions: int32 (N, H / side, W / side, 2), by patches of `side` pixels.
    """
    return _drawn_from(images, tf.repeat(tf.repeat(motions, side, 1), side, 2))


def find_motions(frame: tf.Tensor, target: tf.Tensor, count: int, reach: int) -> tf.Tensor:
    """Return the motions int32 (N, count, 2) that explain best how `frame` became `target`, both uint8 (N, H, W, C).

    The first explains as many changed pixels as it can, each further one as many of the rest. Where nothing is left to
    explain, it is to stand still.
    """
    _, height, width, _ = frame.shape
    before, after = _brightness(frame), _brightness(target)
    changed, points = _changed_points(tf.reshape(tf.abs(after - before), (-1, height * width)), POINTS)
    weights = tf.cast(changed, tf.float32)

    around = tf.pad(before, [[0, 0], [reach, reach], [reach, reach]])
    padded = width + 2 * reach
    origin = (points // width + reach) * padded + points % width + reach
    steps = offsets(reach)
    index = origin[:, :, None] - (steps[:, 0] * padded + steps[:, 1])
    sources = tf.gather(tf.reshape(around, (-1, (height + 2 * reach) * padded)), index, batch_dims=1)
    costs = _costs(sources, tf.gather(tf.reshape(after, (-1, height * width)), points, batch_dims=1))

    motions = []
    for _ in range(count):
        price = tf.matmul(weights[:, None], costs)[:, 0] + _way(steps, FAR)
        motions.append(tf.argmin(price, -1, tf.int32))
        weights *= tf.gather(costs, motions[-1], axis=2, batch_dims=1)
    return tf.gather(steps, tf.stack(motions, -1))


def find_patch_motions(frame: tf.Tensor, target: tf.Tensor, side: int, reach: int) -> tuple[tf.Tensor, tf.Tensor]:
    """Return for each patch the motion that explains best how its part of `target` came there from anywhere in `frame`.

    Args:
        frame: uint8 (N, H, W, C), with sides that are multiples of `side`.
        target: the same.

    Returns:
        The motions int32 (N, H / side, W / side, 2), and bool (N, H / side, W / side), whether anything changed. Where
        nothing did, it is to stand still.
    """
    _, height, width, _ = frame.shape
    rows, columns = height // side, width // side
    before, after = _brightness(frame), _brightness(target)
    which, points = _changed_points(to_patches(tf.abs(after - before)[..., None], side), PATCH_POINTS)
    corners = (np.arange(rows, dtype=np.int32)[:, None] * width + np.arange(columns, dtype=np.int32)) * side
    points = points // side * width + points % side + corners[..., None]

    changed = which[..., 0]
    where = tf.where(changed)  # most patches stand still, and cost nothing
    image, points = tf.cast(where[:, :1], tf.int32), tf.gather_nd(points, where)
    weights = tf.cast(tf.gather_nd(which, where), tf.float32)

    steps, wanted = offsets(reach), tf.gather(tf.reshape(after, (-1,)), image * (height * width) + points)
    costs = _costs(_many_sources(before, image, points, reach), wanted)
    price = tf.matmul(weights[:, None], costs)[:, 0] + _way(steps, PATCH_FAR)
    motions = tf.gather(steps, tf.argmin(price, -1, tf.int32))
    shape = tf.concat([tf.shape(changed, tf.int64), [2]], 0)
    return tf.scatter_nd(where, motions, shape), changed


def edge_correlation(frame: tf.Tensor, target: tf.Tensor, reach: int) -> tf.Tensor:
    """Return how well the edges of `frame`, moved, agree with those of `target`: float32 (N, motions).

    For each of `offsets(reach)`, the correlation of the gradients of brightness; over the motions of a picture, its
    mean is 0 and its deviation 1. Unlike single colours, edges reveal a motion even if the target is blurred.
    """
    _, height, width, _ = frame.shape
    shape = (height + reach, width + reach)  # zeros, so that nothing comes in again at the other side

    def edges(images: tf.Tensor) -> tuple[tf.Tensor, tf.Tensor]:
        x = _brightness(images)
        return x[:, 1:, :-1] - x[:, :-1, :-1], x[:, :-1, 1:] - x[:, :-1, :-1]

    correlate = _correlation_by_products if is_portable() else _correlation
    found = correlate(edges(frame), edges(target), reach + 1)
    rows, columns = offsets(reach).T
    index = rows % shape[0] * shape[1] + columns % shape[1]
    found = tf.gather(tf.reshape(found, (-1, shape[0] * shape[1])), index, axis=1)
    found -= tf.reduce_mean(found, 1, keepdims=True)
    return found * tf.math.rsqrt(tf.reduce_mean(tf.square(found), 1, keepdims=True) + 1e-12)


Parts = tuple[tf.Tensor, tf.Tensor]
"""The real and the imaginary part of complex numbers."""


def _correlation(a: Parts, b: Parts, margin: int) -> tf.Tensor:
    """Return the real part of the circular correlation of two images (N, H, W) after a margin of zeros."""

    def spectrum(parts: Parts) -> tf.Tensor:
        return tf.signal.fft2d(tf.pad(tf.complex(*parts), [[0, 0], [0, margin], [0, margin]]))

    return tf.math.real(tf.signal.ifft2d(tf.math.conj(spectrum(a)) * spectrum(b)))


def _correlation_by_products(a: Parts, b: Parts, margin: int) -> tf.Tensor:
    """Return what `_correlation` does, by products with the matrices of the Fourier transform."""
    sides = [side + margin for side in a[0].shape[1:]]
    down, right = (2 * np.pi / side * (np.outer(range(side), range(side)) % side) for side in sides)

    def transform(real: tf.Tensor, imaginary: tf.Tensor, sign: float) -> Parts:
        for angles, left in ((sign * down, True), (sign * right, False)):
            cos, sin = np.cos(angles).astype(np.float32), np.sin(angles).astype(np.float32)
            product = tf.matmul if left else lambda matrix, x: tf.matmul(x, matrix)
            real, imaginary = (
                product(cos, real) - product(sin, imaginary),
                product(cos, imaginary) + product(sin, real),
            )
        return real, imaginary

    def spectrum(parts: Parts) -> Parts:
        real, imaginary = (tf.pad(part, [[0, 0], [0, margin], [0, margin]]) for part in parts)
        return transform(real, imaginary, -1.0)

    (real, imaginary), (other, other_imaginary) = spectrum(a), spectrum(b)
    product = (real * other + imaginary * other_imaginary, real * other_imaginary - imaginary * other)
    return transform(*product, 1.0)[0] / float(np.prod(sides))


def _drawn_from(images: tf.Tensor, motion: tf.Tensor) -> tf.Tensor:
    """Return images (N, H, W, C) of pixels that came by their motions, (N, H or 1, W or 1, 2)."""
    _, height, width, channels = images.shape
    rows = tf.clip_by_value(np.arange(height, dtype=np.int32)[:, None] - motion[..., 0], 0, height - 1)
    columns = tf.clip_by_value(np.arange(width, dtype=np.int32) - motion[..., 1], 0, width - 1)
    index = tf.reshape(rows * width + columns, (-1, height * width))
    pixels = tf.gather(tf.reshape(images, (-1, height * width, channels)), index, batch_dims=1)
    return tf.reshape(pixels, (-1, height, width, channels))


def _many_sources(before: tf.Tensor, image: tf.Tensor, points: tf.Tensor, reach: int) -> tf.Tensor:
    """Return the brightness from which each motion leads to each of P points: float32 (M, P, motions).

    Gathered by rows of the square around a point, which is faster than one by one where there are hundreds of points.
    A convolution lays these rows out, each backwards, in a quarter of the time that stacked slices take.

    Args:
        before: float32 (N, H, W).
        image: int32 (M, 1), the index of the image that the points are in.
        points: int32 (M, P).
    """
    _, height, width = before.shape
    span = 2 * reach + 1
    around = tf.pad(before, [[0, 0], [reach, reach], [reach, reach]])
    backwards = np.eye(span, dtype=np.float32)[::-1].reshape(1, span, 1, span)
    rows = tf.nn.conv2d(around[..., None], backwards, 1, "VALID")  # (N, H + 2 reach, W, span)
    first = image * ((height + 2 * reach) * width) + points
    index = first[:, :, None] + np.arange(2 * reach, -1, -1, dtype=np.int32) * width
    return tf.reshape(tf.gather(tf.reshape(rows, (-1, span)), index), (-1, points.shape[1], span**2))


def _costs(sources: tf.Tensor, wanted: tf.Tensor) -> tf.Tensor:
    """Return how badly each source (N, P, motions) explains the brightness (N, P) at its point: 0 to 1."""
    return tf.minimum(tf.abs(sources - wanted[:, :, None]) * (1 / NOTICEABLE), 1.0)


def _way(steps: np.ndarray, price: float) -> np.ndarray:
    """Return the cost of each motion's length."""
    return price * np.abs(steps).sum(-1).astype(np.float32)


def _brightness(images: tf.Tensor) -> tf.Tensor:
    """Return the brightness, float32 (N, H, W)."""
    weights = np.resize(WEIGHTS, images.shape[-1]).astype(np.float32)
    return tf.tensordot(tf.cast(images, tf.float32), weights / (255 * weights.sum()), 1)


def _changed_points(change: tf.Tensor, most: int) -> tuple[tf.Tensor, tf.Tensor]:
    """Return which of P pixels changed noticeably, bool (..., P), these first, and their indices, int32 (..., P).

    Args:
        change: of the brightness, float32 (..., pixels).
        most: P, or as many pixels as there are.
    """
    pixels = change.shape[-1]
    order = np.random.default_rng(0).uniform(0.5, 1.0, pixels).astype(np.float32)  # the same every time
    ranked, points = tf.math.top_k(tf.where(change > NOTICEABLE, order, 0.0), min(most, pixels))
    return ranked > 0.0, points


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
