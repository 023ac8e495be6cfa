from __future__ import annotations

import time

import pytest

from worldmodels.telemetry.logger import Timer


def test_sections_add_up(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = iter([0.0, 1.0, 10.0, 13.0, 14.0, 16.0])
    monkeypatch.setattr(time, "perf_counter", lambda: next(clock))
    timer = Timer()
    with timer("fit"):  # 0 to 1
        pass
    with timer("fit"), timer("sample"):  # 10 to 16, and 13 to 14 inside
        pass
    assert timer.take() == {"time/fit_seconds": 7.0, "time/sample_seconds": 1.0}
    assert timer.take() == {}


def test_a_section_that_fails_counts_too(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = iter([0.0, 2.0])
    monkeypatch.setattr(time, "perf_counter", lambda: next(clock))
    timer = Timer()
    with pytest.raises(KeyError), timer("fit"):
        raise KeyError
    assert timer.take() == {"time/fit_seconds": 2.0}
