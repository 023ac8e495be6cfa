"""Running moments: those of all rows together, however they came."""

from __future__ import annotations

import numpy as np
import pytest
import tensorflow as tf

from worldmodels.agents.api import Rollouts
from worldmodels.agents.normalization import FeatureNormalizer, MovingDeviation, RewardNormalizer, RunningMoments
from worldmodels.core.specs import ArraySpec, ObservationSpec

YES, NO = tf.constant(True), tf.constant(False)


def test_moments_worked_by_hand():
    moments = RunningMoments(1)
    moments.take_in(tf.constant([[1.0], [3.0]]), YES)
    assert (float(moments.count), float(moments.mean[0]), float(moments.variance[0])) == (2, 2, 1)
    moments.take_in(tf.constant([[8.0]]), YES)  # of 1, 3 and 8: mean 4, variance (9 + 1 + 16) / 3
    assert float(moments.mean[0]) == pytest.approx(4.0)
    assert float(moments.variance[0]) == pytest.approx(26 / 3)


def test_pieces_of_any_size_are_as_good_as_all_rows_at_once():
    rows = np.random.default_rng(0).normal(3.0, 5.0, (1000, 4)).astype(np.float32)
    moments = RunningMoments(4)
    for piece in np.split(rows, [1, 40, 700]):
        moments.take_in(tf.constant(piece), YES)
    np.testing.assert_allclose(moments.mean, rows.mean(0), rtol=1e-4)
    np.testing.assert_allclose(moments.variance, rows.var(0), rtol=1e-4)
    normalized = moments.normalized(tf.constant(rows)).numpy()
    np.testing.assert_allclose(normalized.mean(0), 0.0, atol=1e-3)
    np.testing.assert_allclose(normalized.std(0), 1.0, atol=1e-3)


def test_nothing_is_taken_in_where_it_is_not_wanted():
    moments = RunningMoments(2)
    moments.take_in(tf.constant([[np.nan, np.inf]]), NO)
    assert float(moments.count) == 0
    np.testing.assert_array_equal(moments.normalized(tf.constant([[0.5, -2.0]])), [[0.5, -2.0]])


def test_far_numbers_are_clipped():
    moments = RunningMoments(1)
    moments.take_in(tf.constant([[-1.0], [1.0]]), YES)
    np.testing.assert_allclose(moments.normalized(tf.constant([[25.0], [-25.0], [3.0]])), [[10.0], [-10.0], [3.0]])


def test_a_moving_deviation_begins_with_the_first_and_follows_the_newest_by_a_fifth():
    moving, other = MovingDeviation(), MovingDeviation()
    assert float(moving.value) == 0.0
    moving.take_in(tf.constant(np.nan), NO)
    moving.take_in(tf.constant(2.0), YES)
    assert float(moving.value) == 2.0
    moving.take_in(tf.constant(7.0), YES)
    moving.take_in(tf.constant(np.inf), NO)
    assert float(moving.value) == pytest.approx(3.0)
    assert float(moving.share(tf.constant(1.5))) == pytest.approx(0.5)
    assert float(moving.share(tf.constant(9.0))) == 1.0
    assert float(other.share(tf.constant(9.0))) == 1.0  # nothing to compare with
    other.load(moving.save())
    assert float(other.value) == float(moving.value)


def test_images_among_features_are_left_alone():
    spec = ObservationSpec((("eye", ArraySpec((2, 2, 1))), ("touch", ArraySpec((2,)))))
    features = {
        "eye": tf.constant(np.full((3, 2, 2, 1), 200, np.uint8)),
        "touch": tf.constant([[0.0, 1.0], [2.0, 3.0], [4.0, 5.0]]),
    }
    normalizer, other = FeatureNormalizer(spec), FeatureNormalizer(spec)
    normalizer.take_in(features, YES)
    seen = normalizer(features)
    assert seen["eye"] is features["eye"]
    np.testing.assert_allclose(seen["touch"][:, 0], np.array([-1.0, 0.0, 1.0]) * np.sqrt(1.5), rtol=1e-5)
    other.load(normalizer.save())
    np.testing.assert_array_equal(other(features)["touch"], seen["touch"])


def rollouts(rewards: list[list[float]], first: list[list[int]]) -> Rollouts:
    """Return rollouts that never end; only rewards and first steps matter."""
    paid, is_first = tf.constant(rewards, tf.float32), tf.cast(first, tf.bool)
    return Rollouts(paid, paid, paid, tf.ones_like(paid), is_first, is_first, {}, ())


def test_rewards_are_divided_by_the_spread_of_their_sums():
    normalizer, other = RewardNormalizer(0.5), RewardNormalizer(0.5)
    assert float(normalizer.scale) == pytest.approx(1.0)
    normalizer.take_in(rollouts([[0], [16], [0]], [[1], [0], [0]]), YES, imagined=False)  # sums 16 and 8
    assert float(normalizer.scale) == pytest.approx(4.0)
    np.testing.assert_allclose(normalizer.normalized(tf.constant([8.0, -400.0])), [2.0, -10.0])
    other.load(normalizer.save())
    for each in (normalizer, other):  # the sum goes on at 8: 20 and 10, and between two episodes there is none
        each.take_in(rollouts([[0], [16], [0], [0]], [[0], [0], [1], [0]]), YES, imagined=False)
        assert float(each.count) == 4
        assert float(each.scale) == pytest.approx(np.std([16, 8, 20, 0]))


def test_sums_of_imagined_rewards_begin_at_0_and_leave_those_of_real_ones_alone():
    normalizer = RewardNormalizer(0.5)
    normalizer.take_in(rollouts([[0], [16]], [[1], [0]]), YES, imagined=False)
    normalizer.take_in(rollouts([[0, 0], [2, 6]], [[0, 0], [0, 0]]), YES, imagined=True)
    assert float(normalizer.scale) == pytest.approx(np.std([16, 2, 6]))
    normalizer.take_in(rollouts([[0], [np.nan]], [[0], [0]]), NO, imagined=False)
    normalizer.take_in(rollouts([[0], [0]], [[0], [0]]), YES, imagined=False)
    assert float(normalizer.scale) == pytest.approx(np.std([16, 2, 6, 8]))


def test_first_rewards_after_many_of_0_are_bounded():
    normalizer = RewardNormalizer(0.99)
    normalizer.take_in(rollouts([[0]] * 100, [[0]] * 100), YES, imagined=False)
    np.testing.assert_allclose(normalizer.normalized(tf.constant([0.0, 10.0])), [0.0, 10.0])
