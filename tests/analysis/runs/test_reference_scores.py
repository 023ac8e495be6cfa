from __future__ import annotations

from pathlib import Path

import pytest

from worldmodels.analysis.runs.reference_scores import (
    ReferenceScores,
    Task,
    all_packaged_scores,
    name_in_id,
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
