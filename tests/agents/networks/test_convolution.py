from __future__ import annotations

import numpy as np
import tensorflow as tf

from worldmodels.agents.networks.images import paint_boxes

SEED = tf.constant([1, 2])
BLACK = tf.zeros((600, 20, 20, 6), tf.uint8)


def test_up_to_five_boxes_of_the_published_sizes():
    painted = paint_boxes(BLACK, 3, SEED).numpy()
    covered = (painted > 0).any(-1)
    untouched = ~covered.any((1, 2))
    assert 0.1 < untouched.mean() < 0.24  # none of 0 to 5 boxes: 1 of 6
    # Sides of 2 to 7 pixels: at most 5 x 49 of 400.
    assert covered.mean((1, 2)).max() <= 5 * 49 / 400
    assert covered.mean((1, 2))[~untouched].min() >= 2 * 2 / 400


def test_a_box_has_one_place_and_colour_in_all_frames_of_a_stack():
    painted = paint_boxes(BLACK, 3, SEED).numpy()
    np.testing.assert_array_equal(painted[..., :3], painted[..., 3:])
    colours = [len(np.unique(image.reshape(-1, 6), axis=0)) for image in painted]
    assert 2 < max(colours) <= 6  # five boxes and what is left


def test_what_is_not_covered_stays_and_the_seed_decides():
    images = tf.fill((50, 20, 20, 3), tf.constant(7, tf.uint8))
    painted = paint_boxes(images, 3, SEED).numpy()
    assert 0.5 < (painted == 7).all(-1).mean() < 1
    np.testing.assert_array_equal(painted, paint_boxes(images, 3, SEED))
    assert (painted != paint_boxes(images, 3, tf.constant([3, 4])).numpy()).any()
