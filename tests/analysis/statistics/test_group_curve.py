from __future__ import annotations

import math

import numpy as np
import pytest

from worldmodels.analysis.statistics.group_curve import (
    POINTS,
    GroupCurve,
    common_positions,
    group_curve,
    highest,
    interpolate,
    interquartile_band,
    lowest,
    mean_band,
    median_band,
)

Pair = tuple[list[float], list[float]]


def curve(*runs: Pair, estimator: str = "mean") -> GroupCurve:
    return group_curve([(np.array(x, float), np.array(y, float)) for x, y in runs], estimator)


def known(values: np.ndarray) -> list[float | None]:
    return [None if math.isnan(value) else value for value in values]


def test_nothing_is_known_beyond_the_ends_of_a_run() -> None:
    found = interpolate(np.array([0.0, 1, 2, 4, 5]), np.array([1.0, 3]), np.array([10.0, 20]))
    assert known(found) == [None, 10, 15, None, None]


def test_the_common_grid_is_every_position_that_a_run_has() -> None:
    assert common_positions([np.array([1.0, 3]), np.array([2.0, 3, 9])]).tolist() == [1, 2, 3, 9]


def test_a_grid_of_too_many_positions_is_even_and_has_the_ends_of_the_runs() -> None:
    runs = [np.arange(0, 1200, 2.0), np.arange(1.25, 1180, 2.0)]  # 600 + 590 positions
    grid = common_positions(runs)
    assert len(grid) == POINTS + 2
    assert grid[0] == 0 and grid[-1] == 1198 and {1.25, 1179.25} <= set(grid)
    assert np.diff(grid).max() == pytest.approx(1198 / (POINTS - 1))
    # One long run keeps its own positions.
    long = np.arange(3000.0)
    assert common_positions([long, long[:50]]).tolist() == long.tolist()


def test_a_mean_with_students_interval_at_each_position() -> None:
    # At 0: 2, 4, 6: mean 4, standard error 2 / sqrt(3), t of 2 degrees 4.3027: half width 4.9683. At 10: no spread.
    found = curve(([0, 10], [2, 5]), ([0, 10], [4, 5]), ([0, 10], [6, 5]))
    assert found.x.tolist() == [0, 10] and found.estimate.tolist() == [4, 5] and found.runs.tolist() == [3, 3]
    assert found.low.tolist() == pytest.approx([4 - 4.9683, 5], abs=1e-4)
    assert found.high.tolist() == pytest.approx([4 + 4.9683, 5], abs=1e-4)


def test_runs_of_different_grids_meet_between_their_positions() -> None:
    found = curve(([0, 10, 20], [0, 10, 0]), ([0, 5, 20], [2, 2, 32]))
    assert found.x.tolist() == [0, 5, 10, 20]
    # The first run at 5 is 5; the second at 10 is 2 + 30 / 3 = 12.
    assert found.estimate.tolist() == [1, 3.5, 11, 16]


def test_a_single_run_is_a_line_without_band() -> None:
    found = curve(([1, 2], [5, 7]))
    assert found.estimate.tolist() == [5, 7] and known(found.low) == known(found.high) == [None, None]
    assert found.runs.tolist() == [1, 1]


def test_the_line_reaches_as_far_as_half_of_the_runs_and_the_band_as_far_as_all() -> None:
    found = curve(([0, 10], [1, 1]), ([0, 20], [4, 4]), ([0, 30], [7, 7]))
    assert found.x.tolist() == [0, 10, 20]  # beyond 20 is one run of three
    assert found.estimate.tolist() == [4, 4, 5.5] and found.runs.tolist() == [3, 3, 2]
    assert [low is None for low in known(found.low)] == [False, False, True]
    late = curve(([0, 30], [1, 1]), ([10, 30], [3, 3]))
    assert late.x.tolist() == [0, 10, 30] and late.estimate.tolist() == [1, 2, 2] and late.runs.tolist() == [1, 2, 2]


def test_ends_that_are_nearly_the_same_are_cut_where_all_runs_are_there() -> None:
    found = curve(([0, 50, 100], [1, 1, 1]), ([4, 50, 96], [3, 3, 3]))
    assert found.x.tolist() == [4, 50, 96] and found.runs.tolist() == [2, 2, 2]
    apart = curve(([0, 50, 100], [1, 1, 1]), ([6, 50, 94], [3, 3, 3]))
    assert apart.x.tolist() == [0, 6, 50, 94, 100]


def test_runs_that_never_meet_have_no_band() -> None:
    found = curve(([0, 1], [1, 1]), ([2, 3], [5, 5]))
    assert found.estimate.tolist() == [1, 1, 5, 5] and known(found.low) == [None] * 4


def test_the_other_estimators() -> None:
    values = np.array([[1.0], [2.0], [6.0], [11.0]])
    # Of four runs the interquartile mean drops one at either end.
    assert interquartile_band(values)[0].tolist() == median_band(values)[0].tolist() == [4]
    for band in (lowest, highest):
        assert all(math.isnan(end[0]) for end in band(values)[1:])
    assert (lowest(values)[0].tolist(), highest(values)[0].tolist()) == ([1], [11])
    assert mean_band(values)[0].tolist() == [5]
    # The median of runs drawn from two is either, or their mean: with 1/4 each at the ends, the range is the interval.
    low, high = median_band(np.array([[1.0, 5], [3, 5]]))[1:]
    assert (low.tolist(), high.tolist()) == ([1, 5], [3, 5])
    # Three runs: the lowest is drawn three times in 1 of 27, more than the 2.5 % that are cut off.
    low, high = interquartile_band(np.array([[0.0], [3], [9]]))[1:]
    assert (low.tolist(), high.tolist()) == ([0], [9])


@pytest.mark.parametrize("estimator", ["mean", "median", "iqm"])
def test_the_same_runs_give_the_same_curve(estimator: str) -> None:
    generator = np.random.default_rng(0)
    runs: list[Pair] = [(list(range(40)), list(generator.normal(size=40))) for _ in range(5)]
    first, again = curve(*runs, estimator=estimator), curve(*runs, estimator=estimator)
    for a, b in zip(first, again, strict=True):
        np.testing.assert_array_equal(a, b)
    assert (first.low < first.estimate).all() and (first.estimate < first.high).all()
