from __future__ import annotations

import pytest

from worldmodels.telemetry.status import Status, duration, number, sparkline


class Clock:
    now = 100.0

    def __call__(self) -> float:
        return self.now


def test_the_pace_of_the_last_minute_gives_the_time_left() -> None:
    clock = Clock()
    status = Status(1000, "t", clock)
    assert status.seconds_left is None and status.fraction == 0
    for second in range(101):  # 1 step/s for 30 seconds, then 5 step/s
        clock.now = 100.0 + second
        status.update(second if second <= 30 else 30 + 5 * (second - 30), {})
    # At second 100 the step is 380, and the last 60 seconds were all at 5 steps/s: 620 / 5.
    assert status.elapsed == 100
    assert status.seconds_left == pytest.approx(124)
    assert status.fraction == pytest.approx(0.38)


def test_a_run_taken_up_again_has_no_pace_from_before() -> None:
    clock = Clock()
    status = Status(1000, "t", clock)
    status.update(900, {})
    assert status.seconds_left is None
    clock.now += 10
    status.update(910, {})
    assert status.seconds_left == pytest.approx(90)


def test_nothing_is_left_at_the_end() -> None:
    status = Status(10, "t")
    status.update(12, {})
    assert status.seconds_left == 0 and status.fraction == 1


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
