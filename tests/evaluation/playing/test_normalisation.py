from __future__ import annotations

import pytest

from worldmodels.evaluation.playing.normalisation import normalised_return


@pytest.mark.parametrize(
    ("game", "mode", "value", "expected"),
    [("coinrun", "easy", 7.5, 0.5), ("starpilot", "hard", 35, 1.0), ("fruitbot", "easy", -1.5, 0.0)],
)
def test_returns_on_the_common_scale(game: str, mode: str, value: float, expected: float) -> None:
    assert normalised_return(game, mode, value) == expected


def test_what_has_no_published_range_has_no_normalised_return() -> None:
    assert normalised_return("coinrun", "memory", 5) is None
    assert normalised_return("coinrun_platforms", "easy", 5) is None
