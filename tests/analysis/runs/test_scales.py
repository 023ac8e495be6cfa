from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from worldmodels.analysis.runs.reference_scores import Task, find_scale, normalised_return
from worldmodels.core.errors import UserError


def normalised(normalize: str, game: str, value: float, mode: str = "easy") -> float:
    scale = find_scale(normalize)
    assert scale is not None
    return float(scale.normalised(Task(game, mode), np.float64(value)))


def test_published_scales() -> None:
    # Pong: random -20.7, human 14.6. James Bond: (100 - 29) / (302.8 - 29), and not (100 - 7) / (29 - 7).
    assert normalised("human", "ALE/Pong-v5", -20.7) == 0
    assert normalised("human", "PongNoFrameskip-v4", 14.6) == 1
    assert normalised("human", "ALE/Jamesbond-v5", 100) == pytest.approx(71 / 273.8)
    assert normalised("range", "starpilot", 35, "hard") == 1
    assert normalised("range", "starpilot", 2.5, "easy") == 0
    assert find_scale("none") is None


def test_a_file_of_ones_own(tmp_path: Path) -> None:
    path = tmp_path / "mine.yaml"
    path.write_text("walker: {low: 0, high: 1000, published: 950}\ncoinrun (hard): {low: 5, high: 10}\n")
    assert normalised(str(path), "walker", 250) == 0.25
    assert normalised(str(path), "coinrun", 7.5, "hard") == 0.5
    with pytest.raises(UserError, match="'coinrun' has no scores 'low' and 'high' in '.*mine.yaml'"):
        normalised(str(path), "coinrun", 7.5)
    path.write_text("walker: {random: 20, human: 30}\n")
    assert normalised(str(path), "walker", 25) == 0.5


def test_scores_that_make_no_scale(tmp_path: Path) -> None:
    path = tmp_path / "mine.yaml"
    path.write_text("Pong: {mean: 3}")
    with pytest.raises(UserError, match="names no scores to normalise by.*Names in it: mean"):
        find_scale(str(path))
    path.write_text("Pong: {random: 3, human: 3}")
    with pytest.raises(UserError, match="'random' of 'Pong' must be below 'human'; received 3 and 3"):
        find_scale(str(path))
    with pytest.raises(UserError, match="no file of scores 'humans'. --normalize takes none, human, range or a"):
        find_scale("humans")


@pytest.mark.parametrize(
    ("game", "mode", "value", "expected"),
    [("coinrun", "easy", 7.5, 0.5), ("starpilot", "hard", 35, 1.0), ("fruitbot", "easy", -1.5, 0.0)],
)
def test_returns_on_the_common_scale(game: str, mode: str, value: float, expected: float) -> None:
    assert normalised_return(game, mode, value) == expected


def test_what_has_no_published_range_has_no_normalised_return() -> None:
    assert normalised_return("coinrun", "memory", 5) is None
    assert normalised_return("coinrun_platforms", "easy", 5) is None
