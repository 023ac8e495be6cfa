from __future__ import annotations

import json
from pathlib import Path

import pytest

from worldmodels.analysis.runs.records import elapsed_hours, load_metrics
from worldmodels.core.errors import UserError

STEPS, UPDATES, POLICY = "time/env_steps_per_second", "time/updates_per_second", "time/policy_updates_per_second"


def test_the_seconds_between_records_are_what_was_done_over_its_speed() -> None:
    # 100 steps at 10 per second, 10 seconds; then 200 steps at 5 per second, 40 seconds.
    assert elapsed_hours([{"step": 100, STEPS: 10.0}, {"step": 300, STEPS: 5.0}]) == [10 / 3600, 50 / 3600]


def test_updates_tell_the_time_where_no_step_was_taken() -> None:
    records = [
        {"step": 100, STEPS: 10.0, UPDATES: 0.0, "model/updates": 0, "policy/updates": 0},  # 10 s
        {"step": 100, STEPS: 0.0, UPDATES: 2.0, "model/updates": 60, "policy/updates": 0},  # 60 / 2 = 30 s
        {"step": 100, STEPS: 0.0, UPDATES: 0.0, POLICY: 4.0, "model/updates": 60, "policy/updates": 20},  # 5 s
    ]
    assert elapsed_hours(records) == pytest.approx([10 / 3600, 40 / 3600, 45 / 3600])
    # Without a model, the updates are those of the policy.
    assert elapsed_hours([{"step": 0, UPDATES: 2.0, "policy/updates": 8}]) == [4 / 3600]


def test_a_record_without_a_speed_stands_in_proportion_to_its_steps() -> None:
    records = [
        {"step": 50, "eval/return": 1.0},
        {"step": 100, STEPS: 1.0},
        {"step": 150, "eval/return": 2.0},
        {"step": 200, STEPS: 0.5},
        {"step": 300, "eval/return": 3.0},
    ]
    # Known: 100 s at step 100 and 300 s at step 200; nothing is known beyond.
    assert elapsed_hours(records) == pytest.approx([50 / 3600, 100 / 3600, 200 / 3600, 300 / 3600, 300 / 3600])


def test_speeds_that_tell_nothing_are_passed_over() -> None:
    assert elapsed_hours([]) == elapsed_hours([{"step": 10, "model/loss": 1.0}]) == []
    assert elapsed_hours([{"step": 10, STEPS: 0.0}, {"step": 20, STEPS: None}]) == []


def test_a_series_over_the_hours(tmp_path: Path) -> None:
    lines = [{"step": 3600, STEPS: 1.0, "a": 7}, {"step": 7200, STEPS: 2.0, "a": 8, "b": 1}]
    (tmp_path / "metrics.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    series = load_metrics(tmp_path, "time", ["a", "c"])
    assert list(series) == ["a"]
    assert (series["a"].steps.tolist(), series["a"].values.tolist()) == ([1.0, 1.5], [7, 8])
    (tmp_path / "metrics.jsonl").write_text('{"step": 1, "a": 1}\n')
    with pytest.raises(UserError, match="no record has a speed"):
        load_metrics(tmp_path, "time")
