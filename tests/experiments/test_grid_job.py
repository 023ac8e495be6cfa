"""The job of one run: its states, and what its records say."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

from worldmodels.core.files.writing import locked
from worldmodels.experiments import grid_job
from worldmodels.experiments.engine import LOST, Used
from worldmodels.experiments.grid import GridRun, make_grid
from worldmodels.experiments.grid_job import GridJob, last_records

USED = Used(2.5, 2.0)


@pytest.fixture
def run(tmp_path: Path) -> GridRun:
    (run,) = make_grid({"config": "debug", "logdir": str(tmp_path)}, "one").runs
    run.path.mkdir(parents=True)
    return run


@pytest.fixture
def finished(monkeypatch: pytest.MonkeyPatch) -> list[bool]:
    """Whether the run is finished: what is put into it last."""
    found = [False]
    monkeypatch.setattr(GridRun, "is_finished", lambda run: found[-1])
    return found


def test_it_trains_until_the_run_is_finished(run: GridRun, finished: list[bool]) -> None:
    job = GridJob(run)
    assert (job.name, job.state, job.status().step_limit) == ("one/seed_0", "waiting", 400)
    assert (job.status().step, job.status().seconds) == (None, None)
    assert job.command() == run.command() and job.state == "running"
    (run.path / "metrics.jsonl").write_text('{"step": 400, "episode/return": 2.5}\n')
    assert job.status()[1:5] == ("running", 400, 400, 2.5)
    finished.append(True)
    job.ended(0, USED)
    assert job.command() is None
    assert job.status() == ("one/seed_0", "done", 400, 400, 2.5, 2.5)
    assert job.summary() == "finished at step 400, return 2.5"


def test_a_run_whose_folder_holds_none_at_its_end_has_failed(run: GridRun, finished: list[bool]) -> None:
    job = GridJob(run)
    job.command()
    run.path.rmdir()
    assert (job.ended(0, USED), job.state) == (1, "failed")
    assert job.failure.read_text() == (
        "Training ended with status 0, but the folder holds no finished run; its output is in log_seed_0.txt.\n"
    )


def test_a_finished_run_is_left_alone(run: GridRun, finished: list[bool]) -> None:
    finished.append(True)
    job = GridJob(run)
    assert (job.state, job.command(), job.summary()) == ("done", None, "finished")


@pytest.mark.parametrize(("status", "state"), [(130, "stopped"), (-15, "stopped"), (1, "failed"), (-9, "failed")])
def test_a_run_that_was_stopped_goes_on_and_one_that_failed_does_not(
    run: GridRun, finished: list[bool], status: int, state: str
) -> None:
    job = GridJob(run)
    job.command()
    job.ended(status, USED)
    assert job.state == state and job.command() is not None
    assert job.failure.exists() == (state == "failed")
    assert GridJob(run).state == ("failed" if state == "failed" else "waiting")


def test_a_run_that_lost_its_machine_waits_and_goes_on(run: GridRun, finished: list[bool]) -> None:
    job = GridJob(run)
    job.command()
    job.ended(LOST, USED)
    assert (job.state, job.status().seconds, job.failure.exists()) == ("waiting", 2.5, False)
    assert job.command() == run.command() and job.state == "running"
    assert (job.status().seconds or 0.0) < 2.5  # the time goes on, from the first start


def test_a_run_that_somebody_else_trains_is_an_obstacle(run: GridRun, finished: list[bool]) -> None:
    job = GridJob(run)
    assert job.obstacle() is None
    with locked(run.path, "training in"):
        assert job.obstacle() == f"process {os.getpid()} trains it, or saves what it has"
    assert job.obstacle() is None


def test_a_failed_run_is_trained_again_where_it_is_asked_for(run: GridRun, finished: list[bool]) -> None:
    job = GridJob(run)
    job.ended(1, USED)
    assert job.failure.read_text() == "Training ended with status 1; its output is in log_seed_0.txt.\n"
    again = GridJob(run, retry=True)
    assert again.state == "waiting"
    again.command()
    assert not job.failure.exists()


def test_what_was_saved_at_its_end_is_done_although_it_was_stopped(run: GridRun, finished: list[bool]) -> None:
    job = GridJob(run)
    job.command()
    finished.append(True)
    job.ended(130, USED)
    assert job.state == "done"


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("", (None, None)),
        ('{"step": 5}\n', (5, None)),
        ('{"step": 5, "eval/return": 1}\n{"step": 9, "episode/return": null}\n', (9, 1.0)),
        ('{"step": 5, "episode/return": 1, "eval/return": 2}\n{"step": 9, "episode/ret', (5, 1.0)),
        ('{"step": "x"}\n[1]\nnonsense\n{"step": 9, "episode/return": NaN}\n', (9, None)),
    ],
)
def test_the_last_step_and_return_are_found(text: str, found: Any, tmp_path: Path) -> None:
    (tmp_path / "metrics.jsonl").write_text(text)
    assert last_records(tmp_path / "metrics.jsonl") == found


def test_only_the_end_of_the_records_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(grid_job, "TAIL_BYTES", 30)
    path = tmp_path / "metrics.jsonl"
    path.write_text('{"step": 5, "episode/return": 1}\n{"step": 9, "model/loss": 2}\n')
    assert last_records(path) == (9, None)
    assert last_records(tmp_path / "none") == (None, None)
    (tmp_path / "link").symlink_to(path)
    assert last_records(tmp_path / "link") == (None, None)
