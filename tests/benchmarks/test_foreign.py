"""The table and the report of `benchmarks/foreign.py`."""

from __future__ import annotations

import json

import foreign
import pytest
from few_steps.cells import Cell, Experiment, Learner
from foreign_worlds.measure import UNLOCKED, score_in_training
from foreign_worlds.report import report

from worldmodels.config.run_config import EnvConfig, RunConfig
from worldmodels.core.configuration.sections import load_config

TABLE = [(experiment, learner) for experiment in foreign.EXPERIMENTS for learner in experiment.learners]


def configured(experiment: Experiment, learner: str) -> RunConfig:
    own = Cell(experiment, experiment.games[0], learner, 1)
    return load_config(RunConfig, own.preset.split(), [f"{k}={json.dumps(v)}" for k, v in own.overrides.items()])


@pytest.mark.parametrize(("experiment", "learner"), TABLE, ids=lambda value: getattr(value, "name", value))
def test_the_settings_are_valid_and_the_environment_is_the_same_for_all(experiment: Experiment, learner: str) -> None:
    def rules(env: EnvConfig) -> dict:
        return {key: value for key, value in vars(env).items() if key not in ("num_envs", "options")}

    first = configured(experiment, next(iter(experiment.learners)))
    assert rules(configured(experiment, learner).env) == rules(first.env)


MADE = {"made_by": {"last_changed_at": "abc1234"}}


def result(learner: str, mean: float) -> dict:
    returns = {"policy": {"mean": mean}, "random": {"mean": -20.5}}
    clocks = {"wall_seconds": 600.0, "processor_seconds": 540.0, "episodes": 20}
    return {
        "game": "Pong",
        "learner": learner,
        "returns": returns,
        "processor": "a processor",
        "settings": {},
        **MADE,
        **clocks,
    }


def test_it_gives_means_intervals_and_seeds_of_what_is_finished():
    learners = {name: Learner(name.upper(), "debug", {}) for name in ("ppo", "simple", "dreamer")}
    experiment = Experiment("atari", 100_000, ("Pong", "Freeway"), (1, 2), {}, learners, {})
    found = [result("ppo", -20.0), result("dreamer", 3.0), result("dreamer", 5.0) | {"episodes": 100}]
    found[0]["returns"]["training"] = {"mean": -21.0}
    lines = report("# Title", [(experiment, found)]).splitlines()
    assert (
        lines[:2] == ["# Title", ""]
        and "`atari`: 100,000 steps" in lines[2]
        and lines[4] == "On a processor, one core for each run. Last changed at commit abc1234."
    )
    # The interval of two: 4 plus or minus 12.706 standard errors of 1.
    assert lines[-2:] == [
        "| Pong | PPO | -20.00 | -20.00 | -21.00 | -20.50 | 20 | 10 | 9 |",
        "| Pong | DREAMER | 4.00 (-8.71 to 16.71) | 3.00, 5.00 |  | -20.50 | 20, 100 | 10 | 9 |",
    ]


def test_a_policy_that_sees_nothing_has_a_row_and_an_experiment_its_notes():
    experiment = Experiment("road", 1_000, ("Freeway",), (1,), {}, {"ppo": Learner("PPO", "debug", {})}, {})
    found = result("ppo", 0.0) | {"game": "Freeway"}
    found["returns"]["up"] = {"mean": 21.0}
    lines = report("# Title", [(experiment, [found])], {"road": "Note.", "sea": "Other."}).splitlines()
    assert lines[-2:] == ["| Freeway | always up, which sees nothing | 21.00 |  |  |  | 20 |  |  |", "Note."]


def test_crafters_score_in_training_counts_each_episode_alike(tmp_path):
    # Three times as many episodes end within the first record, which are a third as long.
    rows = [(1000, 100.0, 0.0, 1.0), (2000, 300.0, 1.0, 0.5)]
    (tmp_path / "metrics.jsonl").write_text(
        "".join(
            json.dumps(
                {"step": step, "episode/length": length, **{f"{UNLOCKED}eat_cow": cow, f"{UNLOCKED}wake_up": up}}
            )
            + "\n"
            for step, length, cow, up in rows
        )
    )
    found = score_in_training(tmp_path)
    assert found["unlocked"] == pytest.approx({"eat_cow": 0.25, "wake_up": 0.875})
    assert found["mean"] == pytest.approx((26 * 88.5) ** 0.5 - 1)
