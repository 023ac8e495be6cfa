from __future__ import annotations

import math

import numpy as np
import pytest

from worldmodels.evaluation.predictions.event_foresight import average_precision, event_foresight


def test_average_precision_worked_by_hand() -> None:
    # By falling score: true, false, true, false. Precision 1 at the first half of recall, 2/3 at the second.
    labels = np.array([False, True, True, False])
    assert average_precision(np.array([0.5, 0.9, 0.3, 0.1]), labels) == pytest.approx((1 + 2 / 3) / 2)
    assert average_precision(np.array([0.1, 0.9, 0.8, 0.2]), labels) == 1
    # Equal scores are one threshold, at which half of what is found is right: the base rate.
    assert average_precision(np.zeros(4), labels) == 0.5
    assert math.isnan(average_precision(np.zeros(2), np.zeros(2, bool)))


def test_what_happens_after_an_end_does_not_count() -> None:
    # Three starts, two steps ahead: a reward, then the end; the end with a reward of the next episode behind; nothing.
    reward = np.array([[5.0, 0.0], [0.0, 7.0], [0.0, 0.0]], np.float32)
    terminal = np.array([[False, True], [True, False], [False, False]])
    goes_on = np.array([[1.0, 0.0], [0.0, 1.0], [1.0, 0.5]], np.float32)
    found = event_foresight(reward, goes_on, reward, terminal, terminal)
    assert (found.starts, found.reward_base_rate, found.end_base_rate) == (
        3,
        pytest.approx(1 / 3),
        pytest.approx(2 / 3),
    )
    # The model predicts the 7 too, and that the episode is over before: expected rewards are 5, 0 and 0.
    assert (found.reward_average_precision, found.reward_ratio) == (1, 1)
    # It gives the ends 1, 1 and 0.5.
    assert (found.end_average_precision, found.end_ratio) == (1, 1.25)
    # After the last two starts nothing is paid; one of them ends.
    assert found.unrewarded_end_base_rate == 0.5
    assert (found.unrewarded_end_average_precision, found.unrewarded_end_ratio) == (1, 1.5)


def test_ends_that_pay_do_not_hide_deaths_that_nobody_foresees() -> None:
    # Four starts, one step ahead: two coins that end the episode, a death, and nothing, which looked deadlier.
    reward = np.array([[10.0], [10.0], [0.0], [0.0]], np.float32)
    ends = np.array([[True], [True], [True], [False]])
    found = event_foresight(reward, np.array([[0.1], [0.1], [0.8], [0.7]]), reward, ends, ends)
    assert found.end_average_precision == pytest.approx((1 + 1 + 3 / 4) / 3)
    assert (found.unrewarded_end_average_precision, found.unrewarded_end_base_rate) == (0.5, 0.5)
    assert found.unrewarded_end_ratio == pytest.approx(0.2 + 0.3)


def test_where_everything_is_rewarded_no_end_is_without() -> None:
    ones, none = np.ones((2, 1), np.float32), np.zeros((2, 1), bool)
    found = event_foresight(ones, ones, ones, none, none)
    assert all(map(math.isnan, found[-3:]))


def test_a_reward_that_the_model_expects_less_than_another_moment_costs_precision() -> None:
    reward = np.array([[1.0], [0.0], [-1.0]], np.float32)
    none = np.zeros((3, 1), bool)
    found = event_foresight(np.array([[0.5], [0.2], [0.1]]), np.ones((3, 1)), reward, none, none)
    # The sizes are 0.5, 0.2 and 0.1; rewarded are the first and the last: precision 1, then 2/3.
    assert found.reward_average_precision == pytest.approx((1 + 2 / 3) / 2)
    assert math.isnan(found.reward_ratio)  # the true rewards add up to nothing
    assert math.isnan(found.end_average_precision) and math.isnan(found.end_ratio)
