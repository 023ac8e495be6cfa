"""Motions are found by matching, and applied with the border repeated."""

from __future__ import annotations

import numpy as np
import pytest
import tensorflow as tf

from worldmodels.models.motion import (
    edge_correlation,
    find_motions,
    find_patch_motions,
    moved,
    moved_patches,
    offsets,
)

REACH = 3


def textured(seed: int, size: int = 20) -> np.ndarray:
    return np.random.default_rng(seed).integers(0, 256, (1, size, size, 3), np.uint8)


def test_motions_are_listed_row_by_row_from_up_and_left():
    assert offsets(1).tolist() == [[-1, -1], [-1, 0], [-1, 1], [0, -1], [0, 0], [0, 1], [1, -1], [1, 0], [1, 1]]


def test_the_content_moves_and_the_border_repeats():
    image = np.arange(9, dtype=np.uint8).reshape(1, 3, 3, 1)
    assert moved(image, tf.constant([[1, 0]]))[0, :, :, 0].numpy().tolist() == [[0, 1, 2], [0, 1, 2], [3, 4, 5]]
    assert moved(image, tf.constant([[0, 2]]))[0, :, :, 0].numpy().tolist() == [[0, 0, 0], [3, 3, 3], [6, 6, 6]]


def test_each_row_has_its_own_motion():
    images = np.concatenate([textured(0), textured(1)])
    both = moved(images, tf.constant([[1, -2], [0, 0]])).numpy()
    np.testing.assert_array_equal(both[0, 1:, :-2], images[0, :-1, 2:])
    np.testing.assert_array_equal(both[1], images[1])


@pytest.mark.parametrize(("down", "right"), [(2, 0), (-1, 3), (0, -2)])
def test_the_motion_of_the_whole_picture_is_found(down, right):
    image = textured(0)
    target = moved(image, tf.constant([[down, right]]))
    assert find_motions(image, target, 1, REACH).numpy().tolist() == [[[down, right]]]


def test_an_edge_stronger_than_all_else_does_not_hide_the_way_along_it():
    """A white line over black would fit any motion to the side; the faint texture below it fits one."""
    image = textured(0, 40) // 4
    image[:, :20] = 0
    image[:, 8:12] = 255
    target = moved(image, tf.constant([[2, -3]]))
    assert find_motions(image, target, 1, REACH).numpy().tolist() == [[[2, -3]]]


def test_the_second_motion_explains_what_the_first_does_not():
    image = textured(0)
    first, second = [0, 2], [-1, 0]
    target = moved(image, tf.constant([first])).numpy()
    target[:, :, :6] = moved(image, tf.constant([second])).numpy()[:, :, :6]
    assert find_motions(image, target, 2, REACH).numpy().tolist() == [[first, second]]


def test_a_still_picture_stands_still():
    image = textured(0)
    assert find_motions(image, image, 2, REACH).numpy().tolist() == [[[0, 0], [0, 0]]]


def test_each_patch_shows_what_came_there_by_its_motion():
    image = np.arange(16, dtype=np.uint8).reshape(1, 4, 4, 1)
    motions = np.zeros((1, 2, 2, 2), np.int32)
    motions[0, 0, 1], motions[0, 1, 0] = [-1, 0], [0, 1]
    shown = moved_patches(image, tf.constant(motions), 2)[0, :, :, 0].numpy().tolist()
    # Above on the right what was one lower; below on the left what was one further left, where the border repeats.
    assert shown == [[0, 1, 6, 7], [4, 5, 10, 11], [8, 8, 10, 11], [12, 12, 14, 15]]


def test_things_that_move_apart_have_each_its_motion():
    before, after = np.zeros((2, 1, 12, 24, 3), np.uint8)
    before[0, 4:6, 1:3], after[0, 5:7, 4:6] = 200, 200  # down 1, right 3, over the border of a patch
    before[0, 9:11, 17:20], after[0, 7:9, 17:20] = 90, 90  # up 2
    motions, changed = find_patch_motions(before, after, side=4, reach=4)
    assert motions.shape == (1, 3, 6, 2)
    assert motions[0, 1, 1].numpy().tolist() == [1, 3]
    assert motions[0, 1, 4].numpy().tolist() == motions[0, 2, 4].numpy().tolist() == [-2, 0]
    assert np.argwhere(changed[0]).tolist() == [[1, 0], [1, 1], [1, 4], [2, 4]]
    np.testing.assert_array_equal(moved_patches(before, motions, 4), after)


def test_patches_stand_still_where_nothing_changed():
    image = textured(0)
    motions, changed = find_patch_motions(image, image, side=4, reach=3)
    assert not motions.numpy().any()
    assert not changed.numpy().any()


def test_the_motion_of_all_patches_is_that_of_the_picture():
    image = textured(0, 24)
    target = moved(image, tf.constant([[1, -2]]))
    motions = find_patch_motions(image, target, side=8, reach=3)[0].numpy()
    assert (motions == [1, -2]).all()


def test_edges_tell_of_a_motion_even_where_the_target_is_blurred():
    frames = np.concatenate([textured(number, 32) for number in range(3)])
    motions = np.array([[2, -1], [0, 0], [-3, 3]], np.int32)
    target = tf.cast(moved(tf.constant(frames), motions), tf.float32)
    blurred = tf.cast(0.5 * target + 0.5 * tf.nn.avg_pool2d(target, 3, 1, "SAME"), tf.uint8)
    agreement = edge_correlation(tf.constant(frames), blurred, REACH).numpy()
    assert offsets(REACH)[agreement.argmax(1)].tolist() == motions.tolist()
    np.testing.assert_allclose(agreement.mean(1), 0, atol=1e-4)
    np.testing.assert_allclose(agreement.std(1), 1, atol=1e-4)
    plain = np.full((1, 32, 32, 3), 7, np.uint8)
    np.testing.assert_array_equal(edge_correlation(tf.constant(plain), tf.constant(plain), REACH), np.zeros((1, 49)))
