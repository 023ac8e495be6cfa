"""The table of the learning benchmark, and how a cell goes on from whatever is there."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import learning
import pytest
from archive import Archive
from few_steps.cell_jobs import CellJob, Place
from few_steps.cells import Cell, Experiment, Learner, gone_line, without_gone
from few_steps.measure import measure
from untrained import write_untrained_run

from worldmodels.config.checks import check_config
from worldmodels.config.run_config import RunConfig
from worldmodels.config.training_config import ModelFreeConfig
from worldmodels.core.configuration.sections import load_config
from worldmodels.envs.games.levels import has_test_levels, level_words
from worldmodels.experiments.engine import Used

TABLE = [(experiment, learner) for experiment in learning.EXPERIMENTS for learner in experiment.learners]


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return Place(tmp_path / "runs", Archive(tmp_path / "results.jsonl"))


def cell(**common: Any) -> Cell:
    learners = {"ppo": Learner("PPO", "ppo", {"agent.entropy": 0.03})}
    experiment = Experiment("few", 800, ("coinrun", "ninja"), (1, 2), common, learners, {"ppo": {"agent.entropy": 0.5}})
    return next(experiment.cells())


@pytest.mark.parametrize(("experiment", "learner"), TABLE, ids=lambda value: getattr(value, "name", value))
def test_the_settings_are_valid_and_give_exactly_the_steps(experiment: Experiment, learner: str) -> None:
    own = Cell(experiment, experiment.games[0], learner, 1)
    config = load_config(
        RunConfig, own.preset.split(), [f"{key}={json.dumps(value)}" for key, value in own.overrides.items()]
    )
    check_config(config)
    training, environments = config.training, config.env.num_envs
    if isinstance(training, ModelFreeConfig):
        assert training.steps % (training.rollout * environments) == 0
    else:
        pieces = [training.prefill, training.collect, training.steps - training.prefill]
        assert [piece % environments for piece in pieces] == [0, 0, 0]
        assert (training.steps - training.prefill) % training.collect == 0
    assert has_test_levels(config.env) and level_words(config.env, "train") == "training levels 0 to 199"
    assert config.env.use_backgrounds and not config.env.use_monochrome_assets


def test_the_tables_are_as_large_as_they_say() -> None:
    few, more, parts, ceiling, sampled, truth = (list(experiment.cells()) for experiment in learning.EXPERIMENTS)
    assert (len(few), len(more), len(parts), len(ceiling)) == (6 * 5 * 5, 2 * 3 * 3, 7 * 3, 6 * 5 * 2)
    assert (len(sampled), len(truth)) == (6 * 3 * 3, 3 * 2 * 5)
    assert sampled[1].settings == few[2].settings
    assert ceiling[0].overrides == few[0].overrides | {"training.steps": 80_000}
    assert ceiling[1].overrides == ceiling[0].overrides | {
        "agent.entropy": 3e-3,
        "agent.optimizer.learning_rate": 1e-3,
    }
    assert truth[0].settings == few[2].settings
    assert truth[1].settings == few[2].settings | {"trainer": "few_steps/true_world.py rewards"}
    assert parts[1].settings == few[2].settings  # Dreamer with recent real steps, seed 1
    assert parts[0].settings == few[2].settings | {"agent.recent.policy_scale": 0.0, "agent.recent.steps": 64}
    assert [one.name for one in more[:7]] == [
        "more/coinrun/ppo_1",
        "more/coinrun/simple_1",
        "more/coinrun/dreamer_1",
        "more/starpilot/ppo_1",
        "more/starpilot/simple_1",
        "more/starpilot/dreamer_1",
        "more/coinrun/ppo_2",
    ]
    assert all(one.seed > 0 for one in few + more)  # 0 is for choosing


def test_what_is_special_to_an_experiment_comes_last() -> None:
    assert cell(**{"agent.entropy": 0.1, "env.num_envs": 4}).settings == {
        "preset": "ppo",
        "env.num_envs": 4,
        "agent.entropy": 0.5,
        "training.steps": 800,
        "env.game": "coinrun",
        "seed": 1,
    }


def is_training(job: CellJob) -> bool:
    command = job.command()
    return command is not None and command[2:4] == ["worldmodels", "train"]


def finish(job: CellJob, place: Place) -> None:
    """Let a job train and be measured."""
    (place.runs / job.name).mkdir(parents=True, exist_ok=True)
    job.ended(0, Used(10, 9))
    command = job.command()
    assert command is not None and command[1].endswith("measure.py") and command[2] == str(place.runs / job.name)
    returns = {levels: {"policy": {"mean": mean}} for levels, mean in (("train", 5.5), ("test", 4.25))}
    Path(command[3]).write_text(json.dumps({"step": 800, "returns": returns, "model": None}))
    job.ended(0, Used(1000, 1000))


def test_a_cell_is_trained_and_measured_and_its_result_outlives_the_run(place: Place) -> None:
    job = CellJob(cell(), place)
    assert is_training(job) and place.result(cell()) is None
    finish(job, place)
    assert job.command() is None
    assert job.summary() == "return 5.50 on training levels, 4.25 on test levels"
    (place.runs / job.name).rmdir()
    result = place.result(cell())
    assert CellJob(cell(), place).command() is None and result is not None
    # What measuring took does not count.
    assert (result["wall_seconds"], result["processor_seconds"], result["step"]) == (10, 9, 800)
    assert (result["experiment"], result["game"], result["learner"], result["seed"]) == ("few", "coinrun", "ppo", 1)
    assert [path.name for path in (place.runs / "few/coinrun").iterdir()] == ["ppo_1.json"]


def test_the_time_of_interrupted_training_is_summed(place: Place) -> None:
    job = CellJob(cell(), place)
    (place.runs / job.name).mkdir(parents=True)
    job.ended(130, Used(4, 3))
    again = CellJob(cell(), place)
    assert is_training(again)
    again.ended(1, Used(0.5, 0.25))
    finish(CellJob(cell(), place), place)
    result = place.result(cell())
    assert result is not None and (result["wall_seconds"], result["processor_seconds"]) == (14.5, 12.25)


def test_the_time_of_a_run_that_is_gone_does_not_count(place: Place) -> None:
    CellJob(cell(), place).ended(130, Used(4, 3))
    job = CellJob(cell(), place)
    assert is_training(job)
    finish(job, place)
    result = place.result(cell())
    assert result is not None and result["wall_seconds"] == 10


def test_measuring_that_failed_is_done_again(place: Place) -> None:
    job = CellJob(cell(), place)
    (place.runs / job.name).mkdir(parents=True)
    job.ended(0, Used(10, 9))
    job.ended(-15, Used(5, 5))
    command = CellJob(cell(), place).command()
    assert command is not None and command[1].endswith("measure.py")


def test_a_result_of_other_settings_does_not_count(place: Place) -> None:
    finish(CellJob(cell(), place), place)
    other = cell(**{"env.num_envs": 4})
    assert place.result(other) is None
    assert is_training(CellJob(other, place))


def test_a_result_counts_that_was_measured_with_a_key_that_is_gone(place: Place) -> None:
    measured = {**cell().settings, "agent.advantage_floor": 0.1}
    place.results.keep(cell().name, {"settings": measured, "step": 800})
    result = place.result(cell())
    assert result is not None and result["settings"] == measured
    assert gone_line([measured, cell().settings]) == (
        "Some of these runs had `agent.advantage_floor=0.1`, which can no longer be set."
    )
    assert gone_line([cell().settings]) == ""
    assert without_gone({"seed": 1, "overrides": {"agent.first_scale": 0.01}}) == {"seed": 1, "overrides": {}}


def test_another_experiment_with_the_same_settings_is_the_same_run(place: Place) -> None:
    finish(CellJob(cell(), place), place)
    few = cell()
    learner = few.experiment.learners["ppo"]._replace(overrides={"agent.entropy": 0.5})
    parts = few.experiment._replace(name="parts", learners={"plain": learner}, overrides={})
    first, _, second, _ = parts.cells()  # seeds 1 and 2, in two games
    assert first.settings == few.settings
    assert place.result(first) == {**(place.result(few) or {}), "experiment": "parts", "learner": "plain"}
    assert CellJob(first, place).command() is None
    assert is_training(CellJob(second, place))


def test_finished_cells_are_not_run_again(place: Place, capsys: pytest.CaptureFixture[str]) -> None:
    finish(CellJob(cell(), place), place)
    assert learning.run([cell()], place, jobs=1) == []
    assert capsys.readouterr().out == "1 of 1 cells are finished\n"


def test_a_failing_cell_is_named(place: Place, capsys: pytest.CaptureFixture[str]) -> None:
    wrong = cell(**{"agent.no_such_key": 1})
    assert learning.run([wrong], place, jobs=1) == ["few/coinrun/ppo_1"]
    assert "no_such_key" in capsys.readouterr().out


@pytest.mark.parametrize(("preset", "imagines"), [("ppo", False), ("debug", True)])
def test_a_run_is_measured_on_training_and_test_levels(tmp_path: Path, preset: str, imagines: bool) -> None:
    changes = ["env.game=leaper", "env.num_levels=2", "env.num_envs=2"]
    found = measure(write_untrained_run(tmp_path / "run", [preset], changes), episodes=3, windows=8)
    assert found["step"] == 0
    players = [found["returns"][levels][player] for levels in ("train", "test") for player in ("policy", "random")]
    assert [each["episodes"] for each in players] == [3] * 4
    assert (found["model"] is not None) == imagines
    if imagines:
        assert found["model"]["starts"] > 0 and found["model"]["copy_image_error"] > 0
        assert {"reward_average_precision", "reward_ratio", "end_base_rate", "image_error"} <= set(found["model"])
    json.dumps(found, allow_nan=False)
