"""Pictures cut into squares and joined again, and the images that pixels are copied from."""

from __future__ import annotations

import numpy as np
import tensorflow as tf

from worldmodels.models.motion import Squares, candidates, cover, patches_of


def test_squares_are_the_quarters_of_patches() -> None:
    squares = Squares((8, 4, 1), (2, 1), 4)
    assert (squares.side, squares.pixels, squares.total) == (2, 4, 8)
    picture = tf.reshape(tf.range(32), (1, 8, 4, 1))
    cut = squares.cut(tf.cast(picture, tf.uint8))
    assert cut.shape == (1, 4, 2, 4)
    # Rows of the picture hold four pixels each, so the second square has 2, 3 and, one row below, 6, 7.
    np.testing.assert_allclose((cut[0, 0, 1] + 0.5) * 255, [2, 3, 6, 7], rtol=1e-5)
    np.testing.assert_allclose((cut[0, 3, 0] + 0.5) * 255, [24, 25, 28, 29], rtol=1e-5)


def test_joining_is_the_inverse_of_cutting_at_any_size() -> None:
    picture = np.random.default_rng(0).integers(0, 256, (2, 5, 7, 3), np.uint8)
    squares = Squares((5, 7, 3), (2, 2), 4)
    assert squares.cut(picture).shape == (2, 4, 4, 2 * 2 * 3)
    np.testing.assert_array_equal(squares.join(squares.cut(picture)), picture)


def test_a_grid_that_reaches_further_mirrors_the_picture() -> None:
    picture = tf.constant([[1, 2, 3], [4, 5, 6]], tf.uint8)[None, ..., None]
    assert cover(picture, (1, 1), 4)[0, ..., 0].numpy().tolist() == [
        [1, 2, 3, 3],
        [4, 5, 6, 6],
        [4, 5, 6, 6],
        [1, 2, 3, 3],
    ]
    patches = patches_of(picture, (1, 1), 4)
    np.testing.assert_allclose((patches[0, 0, 0, :5] + 0.5) * 255, [1, 2, 3, 3, 4], rtol=1e-5)


def test_candidates_are_the_image_and_its_copies_along_motions() -> None:
    picture = tf.constant([[1, 2], [3, 4]], tf.uint8)[None, ..., None]
    found = candidates(picture, tf.constant([[[1, 0], [0, -1]]]))  # one row down; one column to the left
    assert [x[0, ..., 0].numpy().tolist() for x in found] == [[[1, 2], [3, 4]], [[1, 2], [1, 2]], [[2, 2], [4, 4]]]
