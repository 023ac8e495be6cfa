from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from worldmodels.analysis.runs.reference_scores import (
    ReferenceScores,
    Task,
    all_packaged_scores,
    find_scale,
    name_in_id,
    normalised_return,
    packaged_scores,
    read_scores,
)
from worldmodels.core.errors import UserError


def test_all_published_games_have_their_scores_in_order() -> None:
    atari, procgen = packaged_scores("atari").tasks, packaged_scores("procgen").tasks
    assert (len(atari), len(procgen)) == (57, 32)
    assert all(own["random"] < own["human"] for own in atari.values())
    assert all(own["low"] < own["high"] for own in procgen.values())
    assert {game for game, own in atari.items() if "record" not in own} == {"Defender", "Surround"}
    assert all(own["human"] < own["record"] for own in atari.values() if "record" in own)
    assert all_packaged_scores().names() == ["random", "human", "record", "low", "high"]


@pytest.mark.parametrize(
    ("game", "name"),
    [
        ("ALE/BankHeist-v5", "BankHeist"),
        ("BankHeistDeterministic-v4", "BankHeist"),
        ("coinrun", "coinrun"),
        ("coinrun,maze", "coinrun,maze"),
        ("other/Pong-v0", "other/Pong-v0"),
    ],
)
def test_the_name_in_an_id(game: str, name: str) -> None:
    assert name_in_id(game) == name


def test_a_task_is_found_with_its_mode_first() -> None:
    scores = ReferenceScores("a file", {"maze": {"low": 0}, "maze (hard)": {"low": 1}, "Pong": {"low": 2}})
    tasks = [Task("maze", "easy"), Task("maze", "hard"), Task("ALE/Pong-v5"), Task("coinrun")]
    assert [scores.of(task).get("low") for task in tasks] == [0, 1, 2, None]


def test_a_file_of_scores(tmp_path: Path) -> None:
    path = tmp_path / "mine.yaml"
    path.write_text("walker: {low: 0, high: 1000, published: 950}\n")
    assert read_scores(path).tasks == {"walker": {"low": 0, "high": 1000, "published": 950}}
    assert read_scores(path).names() == ["low", "high", "published"]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "holds lines of the form 'task: {random: 0, human: 1}'; received nothing"),
        ("[1, 2]", "holds lines of the form"),
        ("Pong: 3", "the scores of 'Pong' are names with finite numbers.*received 3"),
        ("Pong: {random: many}", "finite numbers.*received 'many' .* for 'random'"),
        ("Pong: {random: true}", "finite numbers.*received true"),
        ("Pong: {random: .nan}", "finite numbers.*received nan"),
        (f"Pong: {{random: {10**400}}}", "finite numbers"),
        ("Pong: {random: 3\n", "not valid YAML"),
    ],
)
def test_files_that_cannot_be_used(tmp_path: Path, text: str, words: str) -> None:
    path = tmp_path / "mine.yaml"
    path.write_text(text)
    with pytest.raises(UserError, match=words):
        read_scores(path)


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="cannot be read"):
        read_scores(tmp_path)
    (tmp_path / "bytes").write_bytes(b"\xff")
    with pytest.raises(UserError, match="not text in UTF-8"):
        read_scores(tmp_path / "bytes")


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
