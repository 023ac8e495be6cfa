"""Pruning runs: what it shows, what it removes, and what it never touches."""

from __future__ import annotations

from pathlib import Path

import pytest

import worldmodels
from worldmodels.cli import main
from worldmodels.core.errors import UserError
from worldmodels.core.files.checkpoint import Checkpoints
from worldmodels.core.files.run_dir import RunDir
from worldmodels.core.files.writing import locked
from worldmodels.experiments.prune import Pruning, prune
from worldmodels.training.launch import parse_config


def make_run(folder: Path) -> RunDir:
    """A run with checkpoints of the steps 1, 2 and 3, experience of 1,000 bytes and a film of 10."""
    run = RunDir.create(folder, parse_config(["ppo"], [], folder), {})
    for step in (1, 2, 3):
        Checkpoints(run.checkpoints, keep=3).write(step, {"a": step})
    for place, size in ((run.replay / "chunk", 1_000), (run.videos / "a.mp4", 10)):
        place.parent.mkdir()
        place.write_bytes(b"x" * size)
    return run


def contents(run: RunDir) -> set[str]:
    """The names in the folder of a run and of its checkpoints, without the lock."""
    folders = (run.path, run.checkpoints)
    return {path.name for folder in folders for path in folder.iterdir() if path.name != ".lock"}


EVERYTHING = {"config.yaml", "meta.json", "checkpoints", "00000001", "00000002", "00000003", "replay", "videos"}


def test_nothing_goes_before_it_is_confirmed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run = make_run(tmp_path / "run")
    before = {path: path.stat().st_mtime_ns for path in run.path.rglob("*")}
    assert main(["prune", str(run.path), "--checkpoints", "2", "--replay", "--videos"]) == 0
    shown = capsys.readouterr().out.splitlines()
    assert shown[:3] == [
        f"To remove: {run.videos} (1 MB)",
        f"To remove: {run.checkpoints / '00000001'} (1 MB)",
        f"To remove: {run.replay} (1 MB)",
    ]
    assert shown[-1] == "--yes removes them and frees 1 MB."
    assert {path: path.stat().st_mtime_ns for path in run.path.rglob("*")} == before


@pytest.mark.parametrize(
    ("pruning", "gone"),
    [
        (Pruning(checkpoints=2), {"00000001"}),
        (Pruning(checkpoints=1), {"00000001", "00000002"}),
        (Pruning(checkpoints=9), set()),
        (Pruning(replay=True), {"replay"}),
        (Pruning(videos=True), {"videos"}),
    ],
)
def test_what_goes(pruning: Pruning, gone: set[str], tmp_path: Path) -> None:
    run = make_run(tmp_path / "run")
    prune(run.path, pruning, confirmed=True)
    assert contents(run) == EVERYTHING - gone
    assert Checkpoints(run.checkpoints).read()[0] == 3


def test_the_bytes_are_those_of_the_files(tmp_path: Path) -> None:
    make_run(tmp_path / "a"), make_run(tmp_path / "b")
    assert prune(tmp_path, Pruning(replay=True, videos=True), confirmed=True) == 2 * 1_010
    assert prune(tmp_path, Pruning(replay=True, videos=True), confirmed=True) == 0


def test_a_run_in_training_stays(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run, other = make_run(tmp_path / "run"), make_run(tmp_path / "other")
    with locked(run.path, "training in"):
        assert prune(tmp_path, Pruning(replay=True), confirmed=True) == 1_000
    assert contents(run) == EVERYTHING and contents(other) == EVERYTHING - {"replay"}
    assert f"'{run.path}' is left as it is: Process " in capsys.readouterr().out


def test_older_checkpoints_stay_if_the_newest_is_damaged(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run = make_run(tmp_path / "run")
    (run.checkpoints / "00000003" / "state.json").write_text("{}")
    assert prune(run.path, Pruning(checkpoints=1), confirmed=True) == 0
    assert contents(run) == EVERYTHING
    assert "state.json' is damaged" in capsys.readouterr().out


def test_a_link_to_a_folder_elsewhere_stays(tmp_path: Path) -> None:
    run, elsewhere = make_run(tmp_path / "run"), tmp_path / "elsewhere"
    run.replay.rename(elsewhere)
    run.replay.symlink_to(elsewhere)
    assert prune(run.path, Pruning(replay=True), confirmed=True) == 0
    assert (elsewhere / "chunk").exists()


@pytest.mark.parametrize("checkpoints", [0, -1])
def test_the_newest_checkpoint_cannot_be_asked_for(checkpoints: int, tmp_path: Path) -> None:
    with pytest.raises(UserError, match=f"newest checkpoint always stays.*Received {checkpoints}"):
        prune(make_run(tmp_path / "run").path, Pruning(checkpoints))


def test_something_has_to_be_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["prune", str(make_run(tmp_path / "run").path)]) == 2
    assert "Name what to remove: --checkpoints N" in capsys.readouterr().err


def test_a_pruned_run_is_whole_and_evaluated(tmp_path: Path) -> None:
    run = worldmodels.train("coinrun", "debug", {"env.num_levels": 4}, tmp_path / "run")
    assert main(["prune", str(run), "--checkpoints", "1", "--replay", "--videos", "--yes"]) == 0
    assert main(["check", str(run)]) == 0
    found = worldmodels.evaluate(run, episodes=2, mode="real", videos=0)
    assert len(found["returns"][0]["policy"]["returns"]) == 2
