from __future__ import annotations

import pytest

from worldmodels.telemetry.dashboard import Status
from worldmodels.telemetry.display import duration, number, sparkline


class Clock:
    now = 100.0

    def __call__(self) -> float:
        return self.now


def test_how_far_a_run_is() -> None:
    clock = Clock()
    status = Status(1000, "t", clock)
    assert status.seconds_left is None and status.fraction == 0
    clock.now += 5
    status.update(380, {}, "fit 3 of 10", seconds_left=12.0)
    assert (status.elapsed, status.fraction, status.phase, status.seconds_left) == (5, 0.38, "fit 3 of 10", 12)
    status.update(1012, {})
    assert (status.fraction, status.phase, status.seconds_left) == (1, "", None)


def test_values_stay_and_returns_are_remembered() -> None:
    status = Status(10, "t")
    status.update(1, {"episode/return": 1.0, "model/kl": 3.0})
    status.update(2, {"episode/return": 2.0, "eval/return": float("nan")})
    assert status.values["model/kl"] == 3.0
    assert status.history == {"episode/return": [1.0, 2.0], "eval/return": []}


@pytest.mark.parametrize(
    "seconds, text",
    [(0, "0:00"), (7.4, "0:07"), (59.7, "1:00"), (754, "12:34"), (3723, "1:02:03"), (None, "–"), (float("inf"), "–")],
)
def test_duration(seconds: float | None, text: str) -> None:
    assert duration(seconds) == text


@pytest.mark.parametrize(
    "value, text",
    [
        (0.0, "0"),
        (12345.6, "12,346"),
        (-2000, "-2,000"),
        (12.34, "12.3"),
        (0.012345, "0.0123"),
        (0.0000123, "1.23e-05"),
        (float("nan"), "nan"),
    ],
)
def test_number(value: float, text: str) -> None:
    assert number(value) == text


def test_sparkline() -> None:
    assert sparkline([], 8) == ""
    assert sparkline([3.0, 3.0], 8) == "▁▁"
    assert sparkline([0, 1, 2, 3, 4, 5, 6, 7], 8) == "▁▂▃▄▅▆▇█"
    assert sparkline([0, 0, 7, 7, 3, 4], 3) == "▁█▅"  # pairs: 0, 7 and 3.5, which rounds to the even 4
