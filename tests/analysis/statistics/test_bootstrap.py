from __future__ import annotations

import math

import numpy as np
import pytest

from worldmodels.analysis.statistics.bootstrap import (
    bootstrap,
    bootstrap_bands,
    clipped_mean_of_tasks,
    interquartile_difference,
    interquartile_mean,
    mean_of_tasks,
    median,
    median_of_tasks,
    probability_of_improvement,
    tasks_above_one,
    tasks_below_one,
)


def strata(*tasks: list[float]) -> list[np.ndarray]:
    return [np.array(task, np.float64) for task in tasks]


def test_the_middle_half_of_all_runs_counts() -> None:
    # Of 1, 2, 3, 4, 6, 8, 9, 100 two are cut at either end: 3, 4, 6, 8 remain.
    assert interquartile_mean(strata([100, 1, 4], [2, 3, 6, 8, 9])) == 21 / 4


def test_what_is_cut_is_rounded_down() -> None:
    assert interquartile_mean(strata([0, 10, 80])) == 30  # 3 // 4 = 0
    assert interquartile_mean(strata([0, 10], [20, 30, 900])) == 20  # 5 // 4 = 1
    assert interquartile_mean(strata([7])) == 7


def test_statistics_keep_leading_axes() -> None:
    drawn = [np.array([[0.0, 2.0], [4.0, 4.0]]), np.array([[4.0], [7.0]])]
    assert interquartile_mean(drawn).tolist() == [2, 5]
    assert interquartile_difference(drawn, strata([1], [1])).tolist() == [1, 4]
    # Of the first row: 0 and 2 against 1 is one win of two, 4 against 5 none: (1/2 + 0) / 2.
    assert probability_of_improvement(drawn, strata([1], [5])).tolist() == [0.25, 1]


def test_improvement_is_a_mean_over_tasks_and_equal_scores_are_half() -> None:
    # Task 1: 3 beats 1 and 2, 2 beats 1 and equals 2: 3.5 of 4 pairs. Task 2: 0 of 3 pairs.
    assert probability_of_improvement(strata([3, 2], [0]), strata([1, 2], [5, 6, 7])) == 3.5 / 4 / 2


def test_the_interval_of_a_mean_of_two_runs_is_their_range() -> None:
    # Both the same run: with probability 1/4 each, more than the 2.5 % that are cut off.
    assert bootstrap(interquartile_mean, strata([1, 3])) == (2, 1, 3)
    assert bootstrap(interquartile_mean, strata([1, 3]), confidence=0.2) == (2, 2, 2)


def test_runs_are_drawn_within_their_task() -> None:
    # The runs of each task are equal, so that nothing depends on which of them is drawn.
    assert bootstrap(interquartile_mean, strata([1, 1], [5, 5])) == (3, 3, 3)


def test_a_difference_draws_each_learner_on_its_own() -> None:
    found = bootstrap(interquartile_difference, strata([1, 3]), strata([0, 4]))
    # The means are 1, 2, 3 and 0, 2, 4; the extremes -3 and 3 have 1/16 each.
    assert found == (0, -3, 3)


def test_equal_seeds_give_equal_intervals() -> None:
    scores = strata(list(np.random.default_rng(0).normal(size=7)))
    first, again, other = (bootstrap(interquartile_mean, scores, seed=seed) for seed in (1, 1, 2))
    assert first == again
    assert first != other and first.value == other.value


def test_bands_are_the_intervals_at_each_point() -> None:
    scores = np.random.default_rng(0).normal(size=(3, 6))
    low, high = bootstrap_bands(interquartile_mean, [scores], resamples=200, seed=4)
    for index, runs in enumerate(scores):
        assert bootstrap(interquartile_mean, [runs], resamples=200, seed=4)[1:] == (low[index], high[index])


def test_bands_do_not_depend_on_how_many_points_are_drawn_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    scores = np.random.default_rng(0).normal(size=(50, 4))
    whole = bootstrap_bands(median, [scores])
    monkeypatch.setattr("worldmodels.analysis.statistics.bootstrap._DRAWN_AT_ONCE", 3 * 4 * 1_000)
    np.testing.assert_array_equal(whole, bootstrap_bands(median, [scores]))


def test_the_median_of_all_runs_of_all_tasks() -> None:
    assert median(strata([1, 9], [4])) == 4 and median(strata([1, 2, 4, 9])) == 3


def test_bands_of_several_tasks_are_the_intervals_at_each_point() -> None:
    scores = [np.random.default_rng(0).normal(size=(3, runs)) for runs in (2, 1, 4)]
    low, high = bootstrap_bands(median_of_tasks, scores, resamples=200, seed=4)
    for index in range(3):
        found = bootstrap(median_of_tasks, [task[index] for task in scores], resamples=200, seed=4)
        assert found[1:] == (low[index], high[index])
    assert np.isnan(bootstrap_bands(mean_of_tasks, [task[:, :1] for task in scores])).all()


def test_statistics_of_tasks_count_each_task_alike() -> None:
    # The means of the tasks are 1, 4 and 0.5.
    tasks = strata([0, 2, 1], [4], [0.5])
    assert mean_of_tasks(tasks) == 5.5 / 3 and median_of_tasks(tasks) == 1
    assert tasks_above_one(tasks) == 1 and tasks_below_one(tasks) == 1
    # Clipped run by run: (0 + 1 + 1) / 3, 1, 0.5.
    assert clipped_mean_of_tasks(tasks) == pytest.approx((2 / 3 + 1 + 0.5) / 3)


def test_single_runs_have_no_interval() -> None:
    found = bootstrap(interquartile_mean, strata([1], [2]))
    assert found.value == 1.5 and math.isnan(found.low) and math.isnan(found.high)


def test_the_interval_is_about_that_of_the_normal_distribution() -> None:
    scores = np.random.default_rng(0).normal(size=(4, 100))
    found = bootstrap(lambda tasks: np.concatenate(tasks, -1).mean(-1), list(scores))
    assert found.high - found.low == pytest.approx(2 * 1.96 * scores.std() / 20, rel=0.06)
