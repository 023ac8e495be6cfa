from __future__ import annotations

from pathlib import Path

import pytest

from worldmodels.analysis.load import load_metrics, load_series, run_label
from worldmodels.core.errors import RunError, UserError


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
    with pytest.raises(RunError, match="Line 2 of .* is damaged"):
        load_metrics(write(tmp_path, '{"step": 1, "a": 1}\n{"st\n{"step": 3}\n'))
