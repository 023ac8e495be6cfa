"""A new measure is one file and one line of the table: eval, training and shift then show its numbers."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from worldmodels.config.run_config import EvaluationConfig, RunConfig
from worldmodels.core.files.run_dir import RunDir
from worldmodels.core.seeding import Streams
from worldmodels.envs.config import EnvConfig
from worldmodels.evaluation import evaluator, run
from worldmodels.evaluation.measure import Measure, Occasion, take
from worldmodels.evaluation.measures import table
from worldmodels.evaluation.measures.returns import RETURNS
from worldmodels.evaluation.request import Request
from worldmodels.evaluation.shift import run as shift_run
from worldmodels.evaluation.shift.shifts import DistributionShift, ShiftRequest
from worldmodels.loading.load import LoadedRun
from worldmodels.telemetry.logger import Logger
from worldmodels.training.periodic import PeriodicEvaluation

ENV = EnvConfig(game="coinrun", num_levels=20)
CHOICES: Measure[int] = Measure(
    name="choices",
    run=lambda evaluator, occasion: evaluator.spec.action.count,
    metrics=lambda count: {"eval/number_of_choices": count / 2},
    needs=("world model",),
    shift=lambda count: {"choices": count / 2},
    shift_columns={"choices": "choices of {horizon}"},
)
"""Half the number of actions: 2.5 in the counting world, which has five."""


@pytest.fixture
def loaded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, parts: SimpleNamespace) -> LoadedRun:
    """A run of the counting world, in a program that has one measure more and few others."""
    monkeypatch.setattr(table, "MEASURES", (CHOICES, RETURNS))
    monkeypatch.setattr(evaluator, "build_env", lambda config, num_envs: parts.CountingEnv([3, 4][:num_envs]))
    config = RunConfig(env=ENV, evaluation=EvaluationConfig(episodes=2, max_steps=8, context=2, horizon=3, windows=6))
    model, agent = parts.CountingModel(), parts.ConstantAgent(2)
    built: Any = SimpleNamespace(config=config, streams=Streams(0), model=model, world_model=model, agent=agent)
    return LoadedRun(RunDir(tmp_path), config, 500, built)


def test_eval_prints_and_keeps_a_new_measure(
    loaded: LoadedRun, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(run, "load_run", lambda path, step: loaded)
    (path,) = run.evaluate_run(Request(loaded.run_dir.path, videos=0))
    printed = capsys.readouterr().out
    assert re.search(r"Choices, training levels 0\s+to 19\s+figure\s+─+\s+number of choices\s+2\.50", printed)
    tree = json.loads(path.read_text())
    assert tree["choices"] == {"eval/number_of_choices": 2.5}
    assert tree["metrics"]["eval/number_of_choices"] == 2.5 and tree["returns"][0]["policy"]["returns"] == [6, 8]


def test_training_records_a_new_measure_on_both_level_sets(loaded: LoadedRun) -> None:
    values = PeriodicEvaluation(loaded.parts, loaded.run_dir, None).run(40, Logger([]))
    assert (values["eval/number_of_choices"], values["eval/test_number_of_choices"]) == (2.5, 2.5)
    assert values["eval/return"] == 7  # episodes of three and four steps, each worth 2
    assert [path.name for path in loaded.run_dir.videos.iterdir()] == ["policy_00000040.mp4"]


def test_shift_has_a_column_for_a_new_measure(
    loaded: LoadedRun, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(shift_run, "load_run", lambda path, step: loaded)
    monkeypatch.setattr(shift_run, "chosen_shifts", lambda request: [DistributionShift("as in training", ENV)])
    path = shift_run.evaluate_shifts(ShiftRequest(Request(loaded.run_dir.path)))
    (training,) = json.loads(path.read_text())["shifts"]
    assert training["model"] == {"choices": 2.5}
    assert path.with_suffix(".md").read_text().splitlines()[2:5] == [
        "| shift | policy | return | random | model | choices of 3 |",
        "| --- | --- | --- | --- | --- | --- |",
        f"| as in training |  | 7.00 ± 12.71 | {training['random']['mean']:.2f} |  | 2.50 |",
    ]
    assert "choices of 3" in capsys.readouterr().out


def test_a_measure_is_taken_where_its_needs_are_met_and_it_is_wanted(loaded: LoadedRun) -> None:
    used = evaluator.Evaluator(loaded.parts, loaded.config.evaluation, Streams(0), 2)

    def names(occasion: Occasion, *measures: Measure[Any]) -> list[str]:
        return [measure.name for measure, _ in take(measures, used, occasion)]

    found: Measure[Any] = Measure(name="found", run=lambda evaluator, occasion: 1, metrics=lambda one: {})
    variables = Measure(
        name="variables", run=lambda evaluator, occasion: 1, metrics=lambda one: {}, needs=("variables",)
    )
    nothing = replace(found, name="nothing", run=lambda evaluator, occasion: None)
    assert names(Occasion("model"), found, variables, nothing, CHOICES) == ["found", "choices"]
    assert names(Occasion("imagined"), found, CHOICES) == []
    loaded.parts.model.spec = loaded.parts.model.spec._replace(imagines=False)
    assert names(Occasion("model"), found, CHOICES) == ["found"]


def test_windows_of_experience_are_freed_after_the_last_measure_that_needs_them(loaded: LoadedRun) -> None:
    used, kept = evaluator.Evaluator(loaded.parts, loaded.config.evaluation, Streams(0), 2), []

    def reads(name: str) -> Measure[Any]:
        return Measure(
            name=name,
            run=lambda evaluator, occasion: evaluator.recorded(),
            metrics=lambda windows: {},
            needs=("experience",),
        )

    free = Measure(name="free", run=lambda evaluator, occasion: used._recorded is None, metrics=lambda windows: {})
    for measure, found in take([reads("first"), reads("second"), free], used, Occasion("model")):
        kept.append(found if measure is free else id(found))
    assert kept[0] == kept[1] and kept[2] is True


def test_the_table_names_each_measure_once_and_shifts_are_of_world_models() -> None:
    names = [measure.name for measure in table.MEASURES]
    assert len(set(names)) == len(names)
    assert all("world model" in measure.needs for measure in table.MEASURES if measure.shift_columns)
