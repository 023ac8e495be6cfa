"""Which cores are given out, beside others that are kept."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from worldmodels.cluster.attendant import kept_cores


@pytest.fixture(autouse=True)
def five_cores(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "sched_getaffinity", lambda process: {8, 7, 5, 3, 2})


def test_kept_cores_are_nobody_elses_until_they_are_let_go(tmp_path: Path) -> None:
    with kept_cores(2, tmp_path) as first, kept_cores(2, tmp_path) as second:
        assert (first, second) == ([2, 3], [5, 7])
    with kept_cores(3, tmp_path) as again:
        assert again == [2, 3, 5]


def test_where_too_few_are_free_some_are_shared(tmp_path: Path) -> None:
    with kept_cores(4, tmp_path), kept_cores(3, tmp_path) as second, kept_cores(1, tmp_path) as third:
        assert (second, third) == ([2, 3, 8], [2])
    with kept_cores(9, tmp_path) as everything:
        assert everything == [2, 3, 5, 7, 8]
