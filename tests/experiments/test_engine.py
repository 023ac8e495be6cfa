"""How the cores of a machine are divided, and given back."""

from __future__ import annotations

import os

import pytest

from worldmodels.core.errors import UserError
from worldmodels.experiments.engine import core_shares


@pytest.mark.parametrize(
    ("count", "shares"),
    [
        (1, [[2, 3, 5, 7, 8]]),
        (2, [[2, 3], [5, 7]]),
        (None, [[2], [3], [5], [7], [8]]),
        (7, [[2], [3], [5], [7], [8], [2], [3]]),
    ],
)
def test_cores_are_divided_evenly(count: int | None, shares: list[list[int]], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "sched_getaffinity", lambda process: {8, 7, 5, 3, 2})
    assert core_shares(count) == shares


def test_no_job_at_once_is_refused() -> None:
    with pytest.raises(UserError, match="must be at least 1. Received 0."):
        core_shares(0)
