"""A grid from its beginning to its end, with scripts in place of training, and once in earnest."""

from __future__ import annotations

import os
import signal
import threading
import time
from pathlib import Path

import pytest

from worldmodels.cli import main
from worldmodels.core.errors import RunError, UserError
from worldmodels.core.files.checkpoint import Checkpoints
from worldmodels.core.files.writing import locked
from worldmodels.experiments import run_grid
from worldmodels.experiments.engine import LocalEngine, core_shares
from worldmodels.experiments.grid import Grid, GridRun, make_grid
from worldmodels.experiments.grid_training import GridOutcome, show_commands, train_grid

ONE = LocalEngine(core_shares(1))
SAVING = "trap 'exit 130' TERM; echo begun; while true; do sleep 0.05; done"


@pytest.fixture
def scripts(monkeypatch: pytest.MonkeyPatch) -> dict[str, str]:
    """What trains in place of TensorFlow, by the name of a run: a shell script; a run is finished once it has run."""
    scripts: dict[str, str] = {}

    def command(run: GridRun) -> list[str]:
        script = scripts.get(run.name, "true")
        # One shell for all: a second one would outlive the signal that ends the first.
        return ["sh", "-c", f"{{ {script}; }} && mkdir -p {run.path} && touch {run.path}.finished"]

    monkeypatch.setattr(GridRun, "command", command)
    monkeypatch.setattr(GridRun, "is_finished", lambda run: Path(f"{run.path}.finished").exists())
    return scripts


def small(folder: Path) -> Grid:
    tree = {"config": "debug", "vary": {"agent.horizon": [3, 4]}, "seeds": 2, "logdir": str(folder / "grid")}
    return make_grid(tree, "small")


def names(outcome: GridOutcome) -> list[list[str]]:
    return [[run.name for run in runs] for runs in outcome]


def test_all_runs_are_trained_and_then_left_alone(
    scripts: dict[str, str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    grid = small(tmp_path)
    scripts["horizon_3/seed_1"] = "echo trained"
    runs = ["horizon_3/seed_0", "horizon_4/seed_0", "horizon_3/seed_1", "horizon_4/seed_1"]
    assert names(train_grid(grid, LocalEngine(core_shares(2)))) == [runs, [], []]
    assert (tmp_path / "grid" / "horizon_3" / "log_seed_1.txt").read_text() == "trained\n"
    assert "4 of 4 runs done" in capsys.readouterr().out
    scripts |= dict.fromkeys(runs, "exit 1")
    assert names(train_grid(grid, ONE)) == [runs, [], []]
    assert capsys.readouterr().out == "4 of 4 runs done\n"


def test_a_failed_run_is_told_each_time_and_trained_again_on_request(
    scripts: dict[str, str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    grid, bad = small(tmp_path), "horizon_4/seed_0"
    scripts[bad] = "echo what went wrong; exit 3"
    for _ in range(2):
        outcome = train_grid(grid, ONE)
        assert (names(outcome)[1], names(outcome)[2]) == ([bad], []) and len(outcome.done) == 3
        lines = capsys.readouterr().out.splitlines()
        assert lines[-4:-2] == [f"{bad} failed; the end of {grid.runs[1].log}:", "    what went wrong"]
        assert lines[-1].startswith("The same command with --retry trains them again")
    assert grid.runs[1].log.read_text() == "what went wrong\n"  # once
    scripts[bad] = "true"
    assert names(train_grid(grid, ONE, retry=True))[1] == []


def test_a_stopped_grid_goes_on(scripts: dict[str, str], tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    grid = small(tmp_path)
    scripts["horizon_4/seed_0"] = SAVING

    def stop() -> None:
        while not grid.runs[1].log.exists() or "begun" not in grid.runs[1].log.read_text():
            time.sleep(0.05)
        os.kill(os.getpid(), signal.SIGTERM)

    threading.Thread(target=stop, daemon=True).start()
    left = ["horizon_4/seed_0", "horizon_3/seed_1", "horizon_4/seed_1"]
    assert names(train_grid(grid, ONE)) == [["horizon_3/seed_0"], [], left]
    assert capsys.readouterr().out.endswith("Not finished: 3 of 4 runs. The same command goes on.\n")
    scripts.clear()
    assert len(train_grid(grid, ONE).done) == 4


def test_a_mapping_is_trained_as_a_file_is(scripts: dict[str, str], tmp_path: Path) -> None:
    outcome = run_grid({"config": "debug", "seeds": [7], "logdir": str(tmp_path)}, "mapped")
    assert names(outcome) == [["mapped/seed_7"], [], []]
    assert outcome.done[0].path == tmp_path / "mapped" / "seed_7"


def test_one_grid_at_a_time(scripts: dict[str, str], tmp_path: Path) -> None:
    grid = small(tmp_path)
    with locked(grid.folder, "training a grid in"), pytest.raises(RunError, match="is training a grid in '.*/grid'"):
        train_grid(grid, ONE)
    assert not grid.runs[0].log.exists()


def test_a_run_that_somebody_else_trains_is_waited_for(
    scripts: dict[str, str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    grid, held = small(tmp_path), threading.Event()

    def hold() -> None:
        with locked(grid.runs[0].path, "training in"):
            held.set()
            while not grid.runs[3].log.exists():
                time.sleep(0.05)

    threading.Thread(target=hold, daemon=True).start()
    held.wait()
    assert len(train_grid(grid, ONE).done) == 4
    out = capsys.readouterr().out
    assert f"horizon_3/seed_0: process {os.getpid()} trains it, or saves what it has; waiting for its end" in out
    assert out.index("horizon_4/seed_1: started") < out.index("horizon_3/seed_0: started")


def test_a_run_that_somebody_else_has_finished_is_not_begun(scripts: dict[str, str], tmp_path: Path) -> None:
    grid = small(tmp_path)
    scripts["horizon_3/seed_0"] = f"touch {grid.runs[2].path}.finished"
    scripts["horizon_3/seed_1"] = "exit 1"
    assert len(train_grid(grid, ONE).done) == 4


def test_a_mistake_is_told_before_anything_begins(scripts: dict[str, str], tmp_path: Path) -> None:
    with pytest.raises(UserError, match="at least 1. Received 0"):
        run_grid({"config": "debug", "logdir": str(tmp_path / "grid")}, "none", jobs=0)
    with pytest.raises(UserError, match=r"Grid 'wrong', horizon_0/seed_0: .*agent.horizon must be at least 1"):
        run_grid({"vary": {"agent.horizon": [4, 0]}, "logdir": str(tmp_path / "grid")}, "wrong")
    assert list(tmp_path.iterdir()) == []


def test_options_of_a_cluster_need_one(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "small.yaml"
    file.write_text(f"config: debug\nlogdir: {tmp_path}/grid\n")
    assert main(["grid", str(file), "--cores-per-run", "2"]) == 2
    told = "--cores-per-run is for a cluster: give --engine ray too, or only --jobs for this machine."
    assert capsys.readouterr().err == f"worldmodels: {told}\n"


def test_a_dry_run_prints_commands_and_writes_nothing(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    tree = {"config": "debug", "vary": {"model.encoder": [{"kind": "patch", "patch": 16}]}, "seeds": 2}
    grid = make_grid(tree | {"logdir": str(tmp_path / "two words")}, "dry")
    done, failed = grid.runs
    show_commands(grid)
    first, *lines = capsys.readouterr().out.splitlines()
    assert first == "# 0 of 2 runs are done"
    assert [line.split(" train ")[1] for line in lines] == [
        """--config debug 'model.encoder={"kind": "patch", "patch": 16}' """
        f"seed={seed} --logdir '{tmp_path}/two words/dry/seed_{seed}'"
        for seed in (0, 1)
    ]
    assert list(tmp_path.iterdir()) == []
    failed.path.parent.mkdir(parents=True)
    failed.path.with_name("failed_seed_1.txt").write_text("")
    show_commands(grid)
    first, *lines = capsys.readouterr().out.splitlines()
    assert first == "# 0 of 2 runs are done, 1 failed (--retry trains them again)" and len(lines) == 1
    show_commands(grid, retry=True)
    assert len(capsys.readouterr().out.splitlines()) == 3


def test_in_earnest(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """One variant is trained, and another fails when its model is built, which no check foresees."""
    file = tmp_path / "patches.yaml"
    file.write_text(
        "config: debug\noverrides: {training.steps: 120, schedule.evaluate_every: 0}\n"
        f"vary: {{model.encoder.patch: [16, 24]}}\nlogdir: {tmp_path}/grid\n"
    )
    assert main(["grid", str(file)]) == 1
    assert "    worldmodels: " in capsys.readouterr().out
    good, bad = (tmp_path / "grid" / f"patch_{patch}" for patch in (16, 24))
    assert Checkpoints(good / "seed_0" / "checkpoints").steps()[-1] == 120
    assert sorted(path.name for path in bad.iterdir()) == ["failed_seed_0.txt", "log_seed_0.txt"]
    assert "multiples of 48" in (bad / "log_seed_0.txt").read_text()
    assert main(["grid", str(file), "--dry-run"]) == 0
    assert capsys.readouterr().out == "# 1 of 2 runs are done, 1 failed (--retry trains them again)\n"


def test_a_folder_that_vanishes_is_not_made_anew(
    scripts: dict[str, str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """What was under way fails, what waits is not begun in its place, and all goes on once the folder is back."""
    grid, away = small(tmp_path), tmp_path / "away"
    scripts["horizon_3/seed_0"] = f"mv {grid.folder} {away}; exit 2"
    names_ = [run.name for run in grid.runs]
    assert names(train_grid(grid, ONE)) == [[], names_, []]
    assert "horizon_4/seed_0: FAILED, it cannot be started: [Errno 2] No such file" in capsys.readouterr().out
    assert not grid.folder.exists()
    away.rename(grid.folder)
    scripts.clear()
    assert len(train_grid(grid, ONE).done) == 4  # nothing could be noted there, so nothing has to be tried again
