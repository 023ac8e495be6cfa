from __future__ import annotations

import math

import numpy as np
import pytest

from worldmodels.analysis.statistics.bootstrap import difference, estimate, moving_average, t_quantile


@pytest.mark.parametrize(
    ("freedom", "confidence", "expected"),
    [  # from the printed tables of Student's t
        (1, 0.95, 12.7062),
        (2, 0.95, 4.3027),
        (4, 0.95, 2.7764),
        (10, 0.95, 2.2281),
        (30, 0.99, 2.7500),
        (100, 0.95, 1.9840),
        (math.inf, 0.95, 1.9600),
        (math.inf, 0.99, 2.5758),
    ],
)
def test_the_quantiles_are_those_of_the_tables(freedom: float, confidence: float, expected: float) -> None:
    assert t_quantile(freedom, confidence) == pytest.approx(expected, abs=6e-5)


def test_a_mean_with_its_interval() -> None:
    # 2, 4, 4, 6, 9: mean 5, squares of the distances 9 + 1 + 1 + 1 + 16 = 28, variance 28 / 4 = 7,
    # standard error sqrt(7 / 5) = 1.1832, half width 2.7764 x 1.1832 = 3.2851.
    result = estimate([2, 4, 4, 6, 9])
    assert result.n == 5
    assert result.mean == 5
    assert result.standard_error == pytest.approx(1.18322, abs=1e-5)
    assert (result.low, result.high) == (pytest.approx(1.7149, abs=1e-4), pytest.approx(8.2851, abs=1e-4))


def test_an_interval_ends_where_values_can_be_no_more() -> None:
    # Standard deviation 10 / sqrt(3), standard error 10 / 3, half width 4.3027 x 10 / 3 = 14.342.
    whole = estimate([0, 0, 10])
    assert (whole.low, whole.high) == (pytest.approx(-11.009, abs=1e-3), pytest.approx(17.676, abs=1e-3))
    assert estimate([0, 0, 10], within=(0, 10))[1:] == (pytest.approx(10 / 3), pytest.approx(10 / 3), 0, 10)
    assert estimate([0, 0, 10], within=(0, math.inf))[3:] == (0, whole.high)
    assert estimate([2, 4, 4, 6, 9], within=(0, 10)) == estimate([2, 4, 4, 6, 9])
    # 0 and 10 less 0 and 10: standard error sqrt(25 + 25), two degrees, half width 30.4; no difference is above 10.
    assert difference([0, 10], [0, 10], within=(0, 10))[3:] == (-10, 10)
    assert difference([0, 10], [0, 10], within=(0, math.inf)) == difference([0, 10], [0, 10])


def test_a_difference_with_welchs_interval() -> None:
    # 1, 2, 3, 4, 5 has mean 3 and variance 2.5; 0, 2 has mean 1 and variance 2.
    # Standard error sqrt(2.5 / 5 + 2 / 2) = sqrt(1.5) = 1.22474.
    # Degrees of freedom 1.5^2 / (0.5^2 / 4 + 1^2 / 1) = 2.25 / 1.0625 = 2.117647, whose t is 4.0826.
    result = difference([1, 2, 3, 4, 5], [0, 2])
    assert result.n == 7
    assert result.mean == 2
    assert result.standard_error == pytest.approx(1.224745, abs=1e-6)
    half = t_quantile(2.25 / 1.0625, 0.95) * math.sqrt(1.5)
    assert (result.low, result.high) == (pytest.approx(2 - half), pytest.approx(2 + half))
    assert 12.7062 > t_quantile(2.25 / 1.0625, 0.95) > t_quantile(3, 0.95)


def test_equal_samples_have_the_pooled_intervals_freedom() -> None:
    # Equal sizes and variances: Welch's degrees of freedom are 2 (n - 1) = 4.
    result = difference([1, 2, 3], [11, 12, 13])
    assert result.mean == -10
    assert result.high - result.mean == pytest.approx(2.7764 * math.sqrt(2 / 3), abs=1e-4)


def test_what_too_few_numbers_leave_open_is_nan() -> None:
    assert math.isnan(estimate([]).mean)
    assert estimate([3]).mean == 3 and math.isnan(estimate([3]).low)
    assert difference([3], [1, 2]).mean == 1.5 and math.isnan(difference([3], [1, 2]).high)
    assert estimate([4, 4, 4]) == (3, 4, 0, 4, 4)
    assert difference([4, 4], [1, 1]) == (4, 3, 0, 3, 3)


def test_the_interval_covers_as_often_as_it_says() -> None:
    generator = np.random.default_rng(0)
    covered = [abs(r.mean) <= r.high - r.mean for r in (estimate(generator.normal(size=4)) for _ in range(2000))]
    # 1,900 expected, with a standard deviation of sqrt(2000 x 0.95 x 0.05) = 9.7.
    assert abs(sum(covered) - 1900) < 40


def test_a_moving_average_looks_back_only() -> None:
    assert moving_average([1, 2, 6, 3], 1).tolist() == [1, 2, 6, 3]
    assert moving_average([1, 2, 6, 3], 3).tolist() == pytest.approx([1, 1.5, 3, 11 / 3])
