from __future__ import annotations

import json
from pathlib import Path

import pytest

from worldmodels.config.run_config import RunConfig
from worldmodels.core.errors import FileError, UserError
from worldmodels.core.files.run_dir import RunDir
from worldmodels.evaluation.comparison import compare_runs


def evaluated(path: Path, step: int, played: list[float], **head: object) -> Path:
    """Make a run with the file that an evaluation at `step` leaves."""
    run_dir = RunDir(path) if (path / "meta.json").exists() else RunDir.create(path, RunConfig(), {})
    cell = {"temperature": 1.0, "noops": 0, "policy": {"returns": played}, "random": {"returns": [0, 2]}}
    other = {**cell, "temperature": 0.0, "policy": {"returns": [-9, -9]}}
    tree = {
        "created": "2030-01-01T00:00:00+00:00",
        "mode": "real",
        "agent": "policy",
        "levels": "training levels 0 to 9",
        "game": "coinrun",
        "distribution_mode": "easy",
        "step": step,
        "settings": {},
        "returns": [other, cell],
        **head,
    }
    run_dir.eval.mkdir(exist_ok=True)
    name = f"step_{step:08d}{len(list(run_dir.eval.iterdir())) or ''}.json"
    (run_dir.eval / name).write_text(json.dumps(tree))
    return path


def test_it_shows_means_intervals_and_differences_by_levels(tmp_path, capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "120")
    monkeypatch.chdir(tmp_path)
    evaluated(Path("dream"), 100, [8, 10])
    evaluated(Path("dream"), 100, [5, 7], levels="test levels from 10 on")
    evaluated(Path("plain"), 120, [4, 6])
    compare_runs(["dream", "plain"])
    train, test = capsys.readouterr().out.split("Returns in ")[1:]
    assert "coinrun, easy, training levels 0 to 9" in train and "coinrun, easy, test levels from 10 on" in test
    lines = {line.split()[0]: line.split() for line in train.splitlines() if line.split()}
    # Of two numbers with mean 9 and standard error 1, the interval is 9 +- 12.71 (Student's t with one degree), and a
    # return of CoinRun is from 0 to 10.
    assert lines["dream"][:6] == ["dream", "100", "9.00", "(0.00", "to", "10.00)"]
    # Welch: both variances are 2, so the difference has a standard error of sqrt(2) and 2 degrees: 4 +- 4.303 * 1.414,
    # and returns differ by 10 at most.
    assert " ".join(lines["plain"]).endswith("+4.00 (-2.08 to 10.00)")
    assert " ".join(lines["random"]).startswith("random - 1.00")
    assert "plain" not in test
    assert "Means of 2 episodes, with" in train


def test_the_blind_policy_stands_beside_where_it_was_played(tmp_path, capsys):
    cell = {"temperature": 1.0, "noops": 0, "policy": {"returns": [8, 10]}, "random": {"returns": [0, 2]}}
    run = evaluated(tmp_path / "run", 100, [], returns=[{**cell, "blind": {"returns": [4, 6]}}])
    compare_runs([str(run)])
    lines = {line.split()[0]: " ".join(line.split()) for line in capsys.readouterr().out.splitlines() if line.split()}
    assert lines["blind"].startswith("blind - 5.00") and "+4.00" in lines["blind"]


def test_one_episode_is_named_so(tmp_path, capsys):
    compare_runs([str(evaluated(tmp_path / "run", 100, [8]))])
    assert "Means of 1 or 2 episodes, with" in capsys.readouterr().out


def test_intervals_of_returns_without_known_bounds_are_whole(tmp_path, capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "120")
    monkeypatch.chdir(tmp_path)
    evaluated(Path("dream"), 100, [8, 10], game="CartPole-v1", distribution_mode=None)
    compare_runs(["dream"])
    assert "9.00 (-3.71 to 21.71)" in capsys.readouterr().out


def test_the_newest_evaluation_of_the_policy_counts(tmp_path, capsys):
    run = evaluated(tmp_path / "run", 200, [3, 3])
    evaluated(run, 100, [1, 1])
    evaluated(run, 300, [7, 7], mode="imagined")
    evaluated(run, 300, [8, 8], agent="random")
    evaluated(run, 300, [], returns=[])
    evaluated(run, 200, [5, 5], created="2030-01-02T00:00:00+00:00")
    compare_runs([str(run)])
    assert "5.00 (5.00 to 5.00)" in capsys.readouterr().out


def test_a_run_without_an_evaluation_is_told_how_to_get_one(tmp_path):
    RunDir.create(tmp_path / "run", RunConfig(), {})
    with pytest.raises(UserError, match="never evaluated. To do so: worldmodels eval"):
        compare_runs([str(tmp_path / "run")])


@pytest.mark.parametrize("policy", [None, {}, {"returns": []}, {"returns": ["9"]}, {"returns": 9}])
def test_a_file_without_returns_is_refused(tmp_path, policy):
    cells = [{"temperature": 1, "noops": 0, "policy": policy, "random": {"returns": [1]}}]
    run = evaluated(tmp_path / "run", 1, [], returns=cells)
    with pytest.raises(FileError, match="must hold the returns of policy"):
        compare_runs([str(run)])
