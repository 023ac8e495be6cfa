from __future__ import annotations

import os
from pathlib import Path

import pytest

from worldmodels.analysis.runs.folders import find_runs
from worldmodels.core.errors import RunError


@pytest.fixture
def runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Runs below `runs`, and a folder of notes."""
    for name in ("sac_2", "sac_10", "ppo/maze/0", "ppo/maze/1", "ppo/coinrun/0"):
        (tmp_path / "runs" / name / "eval").mkdir(parents=True)
        (tmp_path / "runs" / name / "metrics.jsonl").write_text("")
    (tmp_path / "runs" / "notes").mkdir()
    monkeypatch.chdir(tmp_path)


def found(*paths: str, select: tuple[str, ...] = (), exclude: tuple[str, ...] = ()) -> list[str]:
    return [str(run) for run in find_runs(paths, select, exclude)]


PPO = ["runs/ppo/coinrun/0", "runs/ppo/maze/0", "runs/ppo/maze/1"]
SAC = ["runs/sac_2", "runs/sac_10"]


@pytest.mark.usefixtures("runs")
def test_a_run_a_folder_of_runs_and_a_prefix() -> None:
    assert found("runs/sac_10") == ["runs/sac_10"]
    assert found("runs/ppo") == PPO
    assert found("runs") == PPO + SAC
    assert found("runs/sac") == found("runs/sac/") == SAC
    assert found("runs/p") == PPO
    assert found("runs/sac_1") == ["runs/sac_10"]
    assert found(".") == PPO + SAC


@pytest.mark.usefixtures("runs")
def test_each_run_counts_once_in_the_order_of_the_arguments() -> None:
    assert found("runs/sac_10", "runs/sac", "runs/./sac_2") == ["runs/sac_10", "runs/sac_2"]


@pytest.mark.usefixtures("runs")
def test_paths_are_chosen_by_texts_that_they_contain() -> None:
    assert found("runs", select=("ppo", "/0")) == ["runs/ppo/coinrun/0", "runs/ppo/maze/0"]
    assert found("runs", exclude=("sac", "coin")) == ["runs/ppo/maze/0", "runs/ppo/maze/1"]
    assert found("runs", select=("maze",), exclude=("/1",)) == ["runs/ppo/maze/0"]


@pytest.mark.usefixtures("runs")
def test_links_are_followed_and_loops_are_no_trap(tmp_path: Path) -> None:
    (tmp_path / "runs/ppo/maze/up").symlink_to(tmp_path / "runs")
    (tmp_path / "runs/notes/loop").symlink_to("loop")
    (tmp_path / "runs/notes/again").symlink_to("../notes")
    (tmp_path / "linked").symlink_to(tmp_path / "runs/ppo")
    assert found("linked/maze") == [
        "linked/maze/0",
        "linked/maze/1",
        "linked/maze/up/ppo/coinrun/0",
        "linked/maze/up/sac_2",
        "linked/maze/up/sac_10",
    ]
    assert found("runs") == PPO + SAC


@pytest.mark.usefixtures("runs")
def test_decimal_numbers_in_names_are_sorted_as_numbers(tmp_path: Path) -> None:
    names = ["a0.001_1", "a0.001_2", "a0.01_1", "a0.1", "a1", "a10", "b"]
    for name in names:
        (tmp_path / "many" / name).mkdir(parents=True)
        (tmp_path / "many" / name / "metrics.jsonl").write_text("")
    assert found("many") == [f"many/{name}" for name in names]


@pytest.mark.usefixtures("runs")
@pytest.mark.parametrize(
    ("path", "message"),
    [
        ("runs/sack", r"no folder 'runs/sack', and beside it none whose name begins with 'sack'\. .* 'runs/sac_"),
        ("runs/zzz", r"begins with 'zzz'\. Folders beside it: 'runs/notes', 'runs/ppo', 'runs/sac_2', 'runs/sac_10'\."),
        ("runs/notes", r"There is no run in 'runs/notes': neither it nor a folder in it holds a metrics\.jsonl"),
        ("runs/not", r"There is no run in 'runs/notes': they and the folders in them"),
        ("nowhere/sac", r"no folder 'nowhere/sac', .* Folders beside it: none\."),
    ],
)
def test_what_matches_nothing_is_told_with_the_nearest(path: str, message: str) -> None:
    with pytest.raises(RunError, match=message):
        find_runs(["runs/ppo", path])


@pytest.mark.usefixtures("runs")
def test_an_empty_path_is_not_taken_for_the_folder_where_we_are() -> None:
    with pytest.raises(RunError, match="A path is empty"):
        find_runs([""])


@pytest.mark.usefixtures("runs")
def test_when_no_run_is_left_the_texts_are_told() -> None:
    expected = (
        r"No run is left whose path contains 'sac' and does not contain 'sac_'\. Runs found: 'runs/ppo/coinrun/0',"
    )
    with pytest.raises(RunError, match=expected):
        find_runs(["runs"], ["sac"], ["sac_"])


@pytest.mark.usefixtures("runs")
def test_what_is_half_written_is_no_run(tmp_path: Path) -> None:
    os.rename(tmp_path / "runs/sac_2", tmp_path / f"runs/.sac_2.tmp-{os.getpid()}")
    assert found("runs") == PPO + SAC[1:]
