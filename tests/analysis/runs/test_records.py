from __future__ import annotations

import json
from pathlib import Path

import pytest

from worldmodels.analysis.runs.records import elapsed_hours, load_metrics, load_series, run_label
from worldmodels.core.errors import FileError, RunError, UserError


def write(folder: Path, text: str) -> Path:
    (folder / "metrics.jsonl").write_text(text)
    return folder


def test_every_number_becomes_a_series_by_name(tmp_path: Path) -> None:
    lines = (
        '{"step": 10, "model/loss": 2.5, "episode/return": 1}\n{"step": 20, "model/loss": 2, "text/note": "hello"}\n'
    )
    metrics = load_metrics(write(tmp_path, lines))
    assert list(metrics) == ["episode/return", "model/loss"]
    assert metrics["model/loss"].steps.tolist() == [10, 20]
    assert metrics["model/loss"].values.tolist() == [2.5, 2.0]
    assert load_series(tmp_path, "episode/return").steps.tolist() == [10]
    assert run_label(tmp_path / "maze") == "maze"


def test_a_series_can_follow_another_counter_than_the_steps(tmp_path: Path) -> None:
    lines = (
        '{"step": 10, "model/loss": 3, "model/updates": 5}\n{"step": 10, "model/loss": 2, "model/updates": 9}\n'
        '{"step": 20, "episode/return": 1}\n'
    )
    series = load_series(write(tmp_path, lines), "model/loss", x="model/updates")
    assert (series.steps.tolist(), series.values.tolist()) == ([5, 9], [3, 2])
    with pytest.raises(UserError, match="Unknown counter 'model/update'. Did you mean 'model/updates'"):
        load_series(tmp_path, "model/loss", x="model/update")


def test_a_torn_last_line_is_left_out_and_a_later_line_counts(tmp_path: Path) -> None:
    metrics = load_metrics(write(tmp_path, '{"step": 10, "a": 1}\n{"step": 10, "a": 2}\n{"step": 20, "a'))
    assert metrics["a"].steps.tolist() == [10]
    assert metrics["a"].values.tolist() == [2]


def test_what_is_missing_or_damaged_is_named(tmp_path: Path) -> None:
    with pytest.raises(RunError, match=r"There are no metrics in .*'.*metrics\.jsonl' is missing"):
        load_metrics(tmp_path)
    write(tmp_path, '{"step": 1, "eval/return": 1}\n')
    with pytest.raises(UserError, match="Unknown value 'eval/retrun'. Did you mean 'eval/return'"):
        load_series(tmp_path, "eval/retrun")
    with pytest.raises(FileError, match="Line 2 of .* is not JSON"):
        load_metrics(write(tmp_path, '{"step": 1, "a": 1}\n{"st\n{"step": 3}\n'))


def test_null_and_what_is_not_finite_are_no_values(tmp_path: Path) -> None:
    lines = (
        '{"step": 1, "a": 1, "b": null}\n{"step": 2, "a": NaN, "b": -Infinity, "updates": null}\n{"step": 3, "a": 3}\n'
    )
    metrics = load_metrics(write(tmp_path, lines))
    assert list(metrics) == ["a"] and metrics["a"].steps.tolist() == [1, 3]


@pytest.mark.parametrize(
    ("line", "message"),
    [
        (b'{"step": 1, "a": "\xff"}', r"Line 2 of .* is not text in UTF-8"),
        (b'{"step": 1, "a": 1e999}', "Line 2 of .* is not JSON: the number '1e999' is beyond"),
        (b'{"step": 1, "a": ' + b"1" * 400 + b"}", "Line 2 of .* an integer has 400 digits"),
        (b'{"step": 1, "a": [1]}', r"Line 2 of .*: 'a' takes a number or null; received \[1\] \(a list\)"),
        (b"[" * 300 + b"]" * 300, "Line 2 of .* nests lists and mappings more than 100 levels deep"),
        (b'{"a": 1}', r"Line 2 of .*: 'step' must be an integer from 0 to .*; received nothing \(null\)"),
        (b'{"step": -1}', "Line 2 of .*: 'step' must be an integer from 0"),
        (b'{"step": 1.5}', "Line 2 of .*: 'step' must be an integer from 0"),
        (b'{"step": 1' + b"0" * 30 + b"}", "Line 2 of .*: 'step' must be an integer from 0"),
        (b"[]", "Line 2 of .* must hold a JSON object"),
        (b"", "Line 2 of .* is not JSON"),
    ],
)
def test_damage_is_told_with_its_line(tmp_path: Path, line: bytes, message: str) -> None:
    (tmp_path / "metrics.jsonl").write_bytes(b'{"step": 1, "a": 1}\n' + line + b'\n{"step": 2, "a": 2}\n')
    with pytest.raises(FileError, match=message):
        load_metrics(tmp_path)


def test_a_link_in_place_of_the_metrics_is_refused(tmp_path: Path) -> None:
    (tmp_path / "elsewhere").write_text('{"step": 1, "a": 1}\n')
    (tmp_path / "metrics.jsonl").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(FileError, match="is a link"):
        load_metrics(tmp_path)


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
