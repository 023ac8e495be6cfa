"""The report of a grid by its folder or its file: the state of each run, and what cannot be reported."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from worldmodels.cli import main
from worldmodels.core.configuration.sections import to_dict
from worldmodels.core.files.checkpoint import Checkpoints
from worldmodels.core.files.writing import locked
from worldmodels.core.files.yaml_files import to_yaml
from worldmodels.experiments.run_report import default_place, run_condition
from worldmodels.training.launch import parse_config

STEPS = 1_000


@pytest.fixture
def run(tmp_path: Path) -> Path:
    """A folder of a run of PPO, as it is before the first checkpoint."""
    folder = tmp_path / "grid" / "ppo" / "seed_0"
    folder.mkdir(parents=True)
    config = parse_config(["ppo"], [f"training.steps={STEPS}"], folder)
    (folder / "config.yaml").write_text(to_yaml(to_dict(config)))
    (folder / "meta.json").write_text("{}")
    return folder


def save(run: Path, step: int) -> None:
    state = {"counters": {"step": step}, "collector": {"buffer": {"steps": 0}}}
    Checkpoints(run / "checkpoints").write(step, state)


def fail(run: Path) -> None:
    run.parent.mkdir(parents=True, exist_ok=True)
    run.with_name("failed_seed_0.txt").write_text("")
    run.with_name("log_seed_0.txt").write_text("what went\nwrong\n")


def test_the_state_of_a_run(run: Path) -> None:
    assert run_condition(run) == ("unfinished", "")
    with locked(run, "training in"):
        assert run_condition(run) == ("running", "")
    save(run, STEPS - 1)
    fail(run)
    assert run_condition(run) == ("failed", "    what went\n    wrong")
    save(run, STEPS)
    assert run_condition(run) == ("finished", "")


def test_the_state_of_a_run_that_tells_none(run: Path, tmp_path: Path) -> None:
    (run / "config.yaml").write_text("training: {kind: nonsense}\nenv: {num_envs: 4}\n")
    state, reason = run_condition(run)
    assert state == "unknown" and "nonsense" in reason
    assert run_condition(tmp_path) == ("unknown", "")


def test_where_a_report_goes(run: Path, tmp_path: Path) -> None:
    (run / "metrics.jsonl").write_text("")
    assert default_place([tmp_path / "grid"]) == tmp_path / "grid" / "report.html"
    assert default_place([run]) == default_place([tmp_path, run]) == Path("report.html")


@pytest.fixture
def grid(tmp_path: Path) -> Path:
    file = tmp_path / "small.yaml"
    file.write_text(f"config: ppo\nseeds: 3\nlogdir: {tmp_path}/grid\n")
    return file


def test_a_file_of_a_grid_names_what_has_not_begun(
    run: Path, grid: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run.parent.rename(tmp_path / "grid" / "small")
    run = tmp_path / "grid" / "small" / "seed_0"
    (run / "metrics.jsonl").write_text(json.dumps({"step": 10, "episode/return": 3}) + "\n")
    assert main(["report", str(grid)]) == 0
    page = tmp_path / "grid" / "report.html"
    assert capsys.readouterr().out == f"{page}\n"
    text = page.read_text()
    assert "<title>grid</title>" in text and f"<code>worldmodels report {grid}</code>" in text
    assert "<p>3 runs of 1 variant in 1 task: 1 unfinished, 2 not begun.</p>" in text


def test_a_grid_of_which_all_runs_failed_has_a_page(
    grid: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    fail(tmp_path / "grid" / "small" / "seed_0")
    assert main(["report", str(tmp_path / "grid")]) == 0
    assert "<p>1 run: 1 failed.</p>" in (tmp_path / "grid" / "report.html").read_text()
    assert main(["report", str(grid), "--exclude", "seed_2", "--save", str(tmp_path / "all.html")]) == 0
    assert "<p>2 runs: 1 failed, 1 not begun.</p>" in (tmp_path / "all.html").read_text()


def test_what_cannot_be_reported(grid: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    def told(*words: str) -> str:
        assert main(["report", *words]) == 2
        error = capsys.readouterr().err
        assert error.count("\n") == 1
        return error

    assert f"No run of the grid 'small' has begun: there is no folder '{tmp_path}/grid'. 'worldmodels grid" in told(
        str(grid)
    )
    assert "There is no grid file" in told(str(tmp_path / "smal.yaml"))
    assert "There is no folder" in told(str(tmp_path / "typo"))
    run = tmp_path / "run"
    run.mkdir()
    (run / "metrics.jsonl").write_text(json.dumps({"step": 10, "episode/return": 3}) + "\n")
    assert "Of 1 run none can be read, so there is nothing to report" in told(str(run))
    (run / "config.yaml").write_text("env: {game: maze}\n")
    assert "ends with .html; received 'a.png'" in told(str(run), "--save", "a.png")
    assert "No run is left whose path contains 'nothing'" in told(str(run), "--select", "nothing")
    assert "A legend has one name for each group, 1 here" in told(str(run), "--legend", "a", "b")
    assert "Returns are compared at a step of 0 or more; received -5" in told(str(run), "--at", "-5")
    assert "There is no file of scores 'nonsense'" in told(str(run), "--normalize", "nonsense")
