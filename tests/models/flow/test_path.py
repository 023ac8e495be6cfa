"""The mathematics of rectified flow and of carried frames, against values worked by hand."""

from __future__ import annotations

import numpy as np
import tensorflow as tf

from worldmodels.models.flow import path


def picture(values: list[float]) -> tf.Tensor:
    """Pictures of one pixel and one channel, a row for each value."""
    return tf.reshape(tf.constant(values, tf.float32), (-1, 1, 1, 1))


def test_a_path_is_a_straight_line() -> None:
    points = path.on_path(picture([2, 2, 2]), picture([-2, -2, -2]), tf.constant([0.0, 0.25, 1.0]))
    np.testing.assert_allclose(tf.reshape(points, (-1,)), [2, 1, -2])


def test_times_are_sigmoids_of_normal_numbers_around_the_centre() -> None:
    np.testing.assert_allclose(path.times_of(tf.constant([0.3, 1.3])), [0.5, 0.7310586], rtol=1e-6)


def test_errors_weigh_more_late_on_a_path() -> None:
    np.testing.assert_allclose(
        path.loss_weight(tf.constant([0.0, 0.4, 1.0])), [1 / 1.15, 1 / 0.75, 1 / 0.15], rtol=1e-6
    )


def test_a_known_end_is_reached_in_any_number_of_calls() -> None:
    for calls in (1, 2, 5):
        end = path.sample(lambda x, times: picture([0.5, -0.25]), picture([3, -3]), calls)
        np.testing.assert_allclose(tf.reshape(end, (-1,)), [0.5, -0.25], atol=1e-6)


def test_the_times_of_calls_and_the_steps_between_them() -> None:
    times = []

    def predict(x: tf.Tensor, time: tf.Tensor) -> tf.Tensor:
        times.append(float(time[0]))
        return picture([1.0]) if len(times) == 1 else picture([0.0])

    end = path.sample(predict, picture([0.0]), 2)
    # Half of the way to 1, then all of the way to 0.
    assert times == [0.0, 0.5]
    np.testing.assert_allclose(tf.reshape(end, (-1,)), [0.0], atol=1e-7)


def test_the_stages_of_a_sample() -> None:
    """Each of two calls predicts a point above the one that it reads by 0.5."""
    frames, x = path.stages(lambda x, times: x + 0.5, picture([-0.5, 0.0]), 2)
    np.testing.assert_allclose(tf.reshape(frames, (-1,)), [0.0, 0.5])
    np.testing.assert_allclose(tf.reshape(x, (-1,)), [-0.25, 0.25])  # half of the way
    frames, x = path.stages(lambda x, times: x + 0.5, picture([-0.5, 0.0]), 1)
    assert frames.shape == (0, 2, 1, 1, 1)  # the first call is the last
    np.testing.assert_allclose(tf.reshape(x, (-1,)), [-0.5, 0.0])


def test_predictions_outside_the_range_of_colours_are_clipped() -> None:
    end = path.sample(lambda x, times: picture([7.0]), picture([0.0]), 3)
    np.testing.assert_allclose(tf.reshape(end, (-1,)), [1.0], atol=1e-6)


def test_samples_of_two_possible_colours_are_both_and_none_between() -> None:
    """An analytic density: half of all frames are -0.8, half 0.8. The best prediction of the end is known."""

    def predict(x: tf.Tensor, times: tf.Tensor) -> tf.Tensor:
        time, rest = float(times[0]), 1.0 - float(times[0])
        # The posterior odds of two normal densities around +-0.8 t with deviation 1 - t.
        return 0.8 * tf.tanh(0.8 * time * x / rest**2)

    noise = tf.constant(np.random.default_rng(0).normal(size=(4000, 1, 1, 1)), tf.float32)
    ends = tf.reshape(path.sample(predict, noise, 20), (-1,)).numpy()
    assert abs((ends > 0).mean() - 0.5) < 0.02
    assert (np.abs(np.abs(ends) - 0.8) < 0.05).mean() > 0.95
    # One call is the mean of both.
    np.testing.assert_allclose(tf.reshape(path.sample(predict, noise, 1), (-1,)), 0.0, atol=1e-6)


def test_whole_pixels_are_moved_down_and_right_and_edges_are_repeated() -> None:
    frame = tf.reshape(tf.range(12, dtype=tf.float32), (1, 3, 4, 1))
    moved = path.carried(frame, tf.constant([[[0.0, 0.0], [1.0, 0.0], [0.0, -2.0]]]))
    assert moved.shape == (1, 3, 3, 4, 1)
    np.testing.assert_allclose(moved[0, 0, :, :, 0], [[0, 1, 2, 3], [4, 5, 6, 7], [8, 9, 10, 11]])
    np.testing.assert_allclose(moved[0, 1, :, :, 0], [[0, 1, 2, 3], [0, 1, 2, 3], [4, 5, 6, 7]])
    np.testing.assert_allclose(moved[0, 2, :, :, 0], [[2, 3, 3, 3], [6, 7, 7, 7], [10, 11, 11, 11]])


def test_what_enters_comes_from_outside() -> None:
    # 2 rows of 3 pixels: still, one row down, and half a pixel and then 0.6 pixels to the left.
    shifts = tf.constant([[[0.0, 0.0], [1.0, 0.0], [0.0, -0.5], [0.0, -0.6]]])
    outside = path.from_outside(shifts, 2, 3)
    assert outside.shape == (1, 2, 3, 4)
    np.testing.assert_array_equal(outside[0, :, :, 0], [[False] * 3] * 2)
    np.testing.assert_array_equal(outside[0, :, :, 1], [[True] * 3, [False] * 3])
    np.testing.assert_array_equal(outside[0, :, :, 2], [[False] * 3] * 2)
    np.testing.assert_array_equal(outside[0, :, :, 3], [[False, False, True]] * 2)


def test_a_part_of_a_pixel_lies_between_neighbours_in_each_channel() -> None:
    frame = tf.constant([[[[0.0, 8.0], [4.0, 0.0], [4.0, 4.0]]]])  # one row of three pixels in two channels
    moved = path.carried(frame, tf.constant([[[0.0, 0.25]]]))
    np.testing.assert_allclose(moved[0, 0, 0], [[0.0, 8.0], [3.0, 2.0], [4.0, 3.0]])


def test_a_motion_is_learned_by_its_gradient() -> None:
    ramp = tf.reshape(tf.range(8, dtype=tf.float32), (1, 1, 8, 1))
    shift = tf.Variable([[[0.0, 0.5]]])
    with tf.GradientTape() as tape:
        total = tf.reduce_sum(path.carried(ramp, shift)[..., 1:-1, :])
    # Each of six pixels falls by 1 for each pixel to the right.
    np.testing.assert_allclose(tape.gradient(total, shift), [[[0.0, -6.0]]])


def test_colours_come_back_exactly() -> None:
    images = tf.reshape(tf.cast(tf.range(256), tf.uint8), (1, 16, 16, 1))
    np.testing.assert_array_equal(path.to_images(path.to_colours(images)), images)
    np.testing.assert_array_equal(tf.reshape(path.to_images(picture([-3.0, 3.0])), (-1,)), [0, 255])


def test_frames_are_mixed_by_the_softmax_of_their_logits() -> None:
    frames = tf.reshape(tf.constant([1.0, -1.0, 0.0, 0.5]), (1, 2, 1, 2, 1))  # the first 1 and -1, the second 0 and 0.5
    logits = tf.math.log(tf.reshape(tf.constant([3.0, 1.0, 1.0, 4.0]), (1, 1, 2, 2)))
    # 3 to 1 between 1 and 0, then 1 to 4 between -1 and 0.5.
    np.testing.assert_allclose(tf.reshape(path.mixed(logits, frames), (-1,)), [0.75, 0.2], rtol=1e-6)
