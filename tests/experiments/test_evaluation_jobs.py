"""Checkpoints are evaluated by jobs of their own, with scripts in place of evaluations, and once in earnest."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from untrained import write_untrained_run

from worldmodels.cli import main
from worldmodels.config.run_config import RunConfig
from worldmodels.core.configuration.sections import load_config
from worldmodels.core.errors import ConfigError, RunError
from worldmodels.core.files.checkpoint import Checkpoints
from worldmodels.core.files.run_dir import RunDir
from worldmodels.evaluation.request import Request
from worldmodels.experiments.engine import LocalEngine, core_shares
from worldmodels.experiments.evaluation_jobs import EvaluationJob, eval_words, evaluate_in_jobs, result_files

ONE = LocalEngine(core_shares(1))
RunMaker = Callable[..., Path]


@pytest.fixture
def make_run(tmp_path: Path) -> RunMaker:
    def make(name: str = "run", steps: tuple[int, ...] = (100, 200)) -> Path:
        run = RunDir.create(tmp_path / name, load_config(RunConfig, ["debug_ppo"], []), {})
        for step in steps:
            Checkpoints(run.checkpoints).write(step, {})
        return run.path

    return make


def write_result(request: Request, step: int, value: float = 0.0) -> Path:
    files = result_files(RunDir.open(request.path), request)
    return files.write_json(f"step_{step:08d}", {"step": step, "metrics": {"eval/return": value}})


@pytest.fixture
def scripts(monkeypatch: pytest.MonkeyPatch) -> dict[int, str]:
    """What is done in place of an evaluation, by the step: a shell script."""
    scripts: dict[int, str] = {}
    real = EvaluationJob.command

    def command(job: EvaluationJob) -> list[str] | None:
        return None if real(job) is None else ["sh", "-c", scripts.get(job._step, "true")]

    monkeypatch.setattr(EvaluationJob, "command", command)
    return scripts


def test_each_checkpoint_is_a_job_and_those_with_a_result_are_left_out(
    make_run: RunMaker, scripts: dict[int, str], capsys: pytest.CaptureFixture[str]
) -> None:
    runs = [make_run("a", (100, 200)), make_run("b", (300,))]
    request = Request(runs[0], settings={"episodes": 7})
    write_result(request, 100)
    scripts |= {200: "echo measured", 300: "echo what went wrong; exit 3"}
    outcome = evaluate_in_jobs(Request("", settings={"episodes": 7}), runs, ONE)
    assert outcome == (["a at step 200"], ["b at step 300"], [])
    assert (runs[0] / "eval" / "log_00000200.txt").read_text() == "measured\n"
    out = capsys.readouterr().out
    assert out.startswith("2 checkpoints of 2 runs, 0 evaluated before\n")  # the newest of each
    assert "b at step 300 failed; the end of" in out and "    what went wrong" in out
    write_result(request, 200, 3.5)
    assert EvaluationJob("a", request, 200).command() is None
    assert EvaluationJob("a", request, 200).summary() == "return 3.5"
    assert EvaluationJob("a", Request(runs[0], settings={"episodes": 8}), 200).command() is not None
    assert EvaluationJob("a", Request(runs[0], levels="test", settings={"episodes": 7}), 200).command() is not None


def test_each_level_set_is_a_job(
    make_run: RunMaker, scripts: dict[int, str], capsys: pytest.CaptureFixture[str]
) -> None:
    runs = [make_run("a", (100,))]
    write_result(Request(runs[0], settings={"episodes": 7}), 100)
    scripts[100] = "echo measured"
    outcome = evaluate_in_jobs(Request("", settings={"episodes": 7}), runs, ONE, levels=["train", "test"])
    assert outcome == (["a, test levels at step 100"], [], [])
    assert (runs[0] / "eval" / "log_00000100_test.txt").read_text() == "measured\n"
    assert capsys.readouterr().out.startswith("2 checkpoints of 1 run, 1 evaluated before\n")


def test_a_checkpoint_that_is_gone_meanwhile_is_no_failure(make_run: RunMaker) -> None:
    run = make_run()
    job = EvaluationJob("a", Request(run), 100)
    assert job.command() is not None
    Checkpoints(run / "checkpoints").write(300, {})
    assert job.command() is None and job.summary().startswith("its checkpoint is gone")


def test_a_request_as_words_is_the_same_request(make_run: RunMaker) -> None:
    settings = {"temperatures": [0.0, 0.5], "episodes": 3}
    request = Request(make_run(), "real", "test", "planner", ["tiny", "horizon=8"], settings, 200, False, 2, 5)
    assert eval_words(request)[1:] == [
        *("--mode", "real", "--levels", "test", "--agent", "planner", "--planner", "tiny", "horizon=8"),
        *("--videos", "2", "--seed", "5", "--checkpoint", "200", "--temperatures", "0.0", "0.5", "--episodes", "3"),
    ]


def test_a_mistake_is_told_before_anything_begins(make_run: RunMaker, tmp_path: Path) -> None:
    run = make_run()
    with pytest.raises(RunError, match=r"run has no checkpoint of step 150. Checkpoints: 100, 200."):
        evaluate_in_jobs(Request(run, step=150), [run], ONE)
    with pytest.raises(ConfigError, match="episodes must be at least 1"):
        evaluate_in_jobs(Request(run, settings={"episodes": 0}), [run], ONE)
    with pytest.raises(RunError, match="nothing to evaluate: 1 run, and no checkpoint yet"):
        evaluate_in_jobs(Request(run), [make_run("new", ())], ONE)
    assert not (run / "eval").exists()


def test_a_grid_is_named_by_its_folder_or_its_file(
    make_run: RunMaker, scripts: dict[int, str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    make_run("grid/small/seed_0"), make_run("grid/small/seed_1")
    file = tmp_path / "small.yaml"
    file.write_text(f"config: debug_ppo\nseeds: 2\nlogdir: {tmp_path}/grid\n")
    for path in (file, tmp_path / "grid"):
        assert main(["eval", str(path)]) == 0
        assert "seed_1 at step 200" in capsys.readouterr().out
    scripts[200] = "false"
    assert main(["eval", str(file)]) == 1
    assert main(["eval", str(tmp_path)[:-1] + "x"]) == 2
    (tmp_path / "empty").mkdir()
    assert main(["eval", str(tmp_path / "empty")]) == 2
    assert "holds no run" in capsys.readouterr().err


def test_in_earnest(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Results and the table of all checkpoints are those of one process that evaluates them all."""
    run = write_untrained_run(tmp_path / "run", ["debug_ppo"], ["env.game=maze"])
    words = ["eval", str(run), "--all-checkpoints", "--videos", "0", "--episodes", "2", "--max-steps", "5"]
    trees = []
    for more in (["--jobs", "1"], []):
        assert main([*words, *more]) == 0
        found = {
            name: json.loads((run / "eval" / f"{name}.json").read_text()) for name in ("step_00000000", "checkpoints")
        }
        for tree in found.values():
            del tree["created"]
        trees.append(found)
    assert trees[0] == trees[1]
    assert sorted(path.name for path in (run / "eval").glob("*.json")) == ["checkpoints.json", "step_00000000.json"]
    assert trees[0]["checkpoints"]["checkpoints"][0]["metrics"] == trees[0]["step_00000000"]["metrics"]
