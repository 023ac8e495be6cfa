"""The list of runs: what stands in a row, in which order, and without TensorFlow."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from worldmodels.cli import main
from worldmodels.core.files.checkpoint import Checkpoints
from worldmodels.core.files.run_dir import RunDir
from worldmodels.core.files.writing import locked
from worldmodels.experiments.run_list import listed_runs
from worldmodels.training.launch import parse_config

STATE = {"counters": {"step": 1_000}, "collector": {"buffer": {"steps": 0}}}


def make_run(folder: Path, *overrides: str) -> RunDir:
    return RunDir.create(folder, parse_config(["ppo"], ["training.steps=1_000", *overrides], folder), {})


def write_records(run: RunDir, *records: dict[str, float]) -> None:
    run.metrics.write_text("".join(json.dumps(record) + "\n" for record in records))


def set_time(run: RunDir, time: float) -> None:
    """Let all files of a run be of one time."""
    for path in run.path.rglob("*"):
        os.utime(path, (time, time))


def test_a_row_has_kinds_state_figures_size_and_time(tmp_path: Path) -> None:
    run = make_run(tmp_path / "a", "env.game=maze")
    write_records(run, {"step": 500, "episode/return": 2.5}, {"step": 1_000, "policy/loss": 0.1})
    Checkpoints(run.checkpoints).write(1_000, STATE)
    set_time(run, 1_700_000_000.0)
    (found,) = listed_runs(tmp_path)
    assert found[0] == run.path and found[2:5] == ("finished", 1_000, 2.5)
    assert found.size == sum(path.stat().st_size for path in run.path.rglob("*") if path.is_file())
    assert found.changed == 1_700_000_000.0
    cells = found.cells(tmp_path)
    assert list(cells[:4]) == ["finished", "1,000", "2.5", "1 MB"]
    assert re.fullmatch(r"2023-11-1\d \d\d:\d\d", cells[4])
    assert list(cells[5:]) == ["frames", "ppo", "maze", "a"]


def test_the_last_changed_run_is_first(tmp_path: Path) -> None:
    for name, time in (("a", 2e9), ("b", 3e9), ("c/d", 1e9)):
        set_time(make_run(tmp_path / name), time)
    assert [str(run.path.relative_to(tmp_path)) for run in listed_runs(tmp_path)] == ["b", "a", "c/d"]


def test_states_of_runs_that_have_not_ended(tmp_path: Path) -> None:
    first, second = make_run(tmp_path / "first"), make_run(tmp_path / "second")
    second.config.write_text("a: [")
    with locked(first.path, "training in"):
        rows = {run.path.name: run for run in listed_runs(tmp_path)}
    assert rows["first"].state == "running" and rows["first"].step is None
    assert list(rows["second"].cells(tmp_path))[:3] == ["unknown", "-", "-"]
    assert list(rows["second"].cells(tmp_path))[5:] == ["-", "-", "-", "second"]


def test_records_are_read_from_their_end(tmp_path: Path) -> None:
    run = make_run(tmp_path / "a")
    long = {"step": 5, "episode/return": 7.0, "remark": "x" * 70_000}  # beyond the part that is read
    write_records(run, long, {"step": 6})
    (found,) = listed_runs(tmp_path)
    assert (found.step, found.last_return) == (6, None)


def test_the_command_prints_a_table(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    make_run(tmp_path / "runs" / "one")
    make_run(tmp_path / "runs" / "two")
    assert main(["list", "runs", str(tmp_path / "runs")]) == 0
    heading, first, second, total = capsys.readouterr().out.splitlines()
    assert heading.split() == ["state", "steps", "return", "size", "last", "change", "model", "agent", "game", "run"]
    assert first[heading.index("run") :] + second[heading.index("run") :] in ("onetwo", "twoone")
    assert total == "2 runs, 1 MB"
    assert main(["list", "runs", str(tmp_path / "runs" / "one")]) == 0
    assert capsys.readouterr().out.splitlines()[-1] == "1 run, 1 MB"


def test_a_folder_without_runs_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["list", "runs"]) == 2
    assert "There is no folder 'runs' to look for runs in." in capsys.readouterr().err
    (tmp_path / "runs").mkdir()
    assert main(["list", "runs"]) == 2
    assert "worldmodels train --logdir runs/NAME makes one." in capsys.readouterr().err
    assert main(["list", "games", "runs"]) == 2
    assert "received 'runs' after games" in capsys.readouterr().err


def test_it_needs_no_tensorflow(tmp_path: Path) -> None:
    make_run(tmp_path / "a")
    code = (
        f"import sys\nfrom worldmodels.cli import main\nstatus = main(['list', 'runs', {str(tmp_path)!r}])\n"
        "sys.exit(status or 'tensorflow' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], capture_output=True).returncode == 0
