"""Laws of times that are known."""

from __future__ import annotations

import pytest
from speed.power_law import fit_law, kind


def test_a_time_in_proportion_is_linear_and_costs_nothing_to_call():
    law = fit_law([1, 2, 4], [3, 6, 12])
    assert (law.exponent, law.last_exponent, law.call, law.each) == pytest.approx((1, 1, 0, 3))
    assert law.kind == "linear"


def test_a_call_that_costs_something_is_found():
    law = fit_law([1, 10, 100], [12, 30, 210])
    assert (law.call, law.each, law.dominated_below) == pytest.approx((10, 2, 5))


def test_a_time_that_does_not_grow_is_constant():
    law = fit_law([1, 10, 100], [5, 5, 5])
    assert (law.exponent, law.call, law.each) == pytest.approx((0, 5, 0))


def test_neither_share_is_negative():
    assert fit_law([1, 2, 4], [1, 4, 16]).call == 0
    assert fit_law([1, 2, 4], [16, 4, 1]).each == 0


@pytest.mark.parametrize(
    ("exponent", "name"), [(0.1, "constant"), (0.5, "sub-linear"), (1.0, "linear"), (1.5, "super-linear")]
)
def test_exponents_have_names(exponent, name):
    assert kind(exponent) == name
