from __future__ import annotations

import pytest

from worldmodels.training.throughput import RemainingTime


def test_the_time_left_is_that_of_each_kind_of_work() -> None:
    pace = RemainingTime()
    assert pace.seconds({"collect": 5}) is None
    assert pace.seconds({"collect": 0}) == 0
    pace.add("collect", 100, 50.0)  # the first time, with all that has to be built
    assert pace.seconds({"collect": 5}) is None
    pace.add("collect", 100, 1.0)
    assert pace.seconds({"collect": 500, "fit": 0}) == pytest.approx(5.0)
    assert pace.seconds({"collect": 500, "fit": 1}) is None
    pace.add("fit", 1, 9.0)
    pace.add("fit", 1, 0.5)
    pace.add("fit", 1, 1.5)
    assert pace.seconds({"collect": 500, "fit": 30}) == pytest.approx(35.0)


def test_what_is_long_ago_counts_less() -> None:
    pace = RemainingTime()
    pace.add("fit", 1, 1.0)
    for _ in range(1000):
        pace.add("fit", 1, 1.0)
    for _ in range(1000):
        pace.add("fit", 1, 0.25)
    assert pace.seconds({"fit": 100}) == pytest.approx(25.0, rel=0.1)
