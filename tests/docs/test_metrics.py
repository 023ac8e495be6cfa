"""The page of metrics has a line for every metric that a run writes."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

import worldmodels

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "metrics.md").read_text()


def names() -> Iterator[str]:
    """Yield the names of the page's tables."""
    for line in PAGE.splitlines():
        if line.startswith("| `"):
            yield from re.findall(r"`([^`]+)`", line.split(" | ")[0])


def pattern(name: str) -> str:
    """Return the regular expression of a name in which capitals stand for something that differs."""
    return re.escape(name).replace("NAME", r"[\w./]+").replace("_N", r"_\d+")


def without_line(metrics: set[str]) -> set[str]:
    """Return the metrics that no line names literally but for its capitals; eval/NAME is for values of `info` alone."""
    known = [pattern(name) for name in names() if name not in ("eval/NAME", "eval/return_NAME")]
    plain = {name: re.sub(r"^eval/test_", "eval/", name) for name in metrics}
    return {name for name, text in plain.items() if not any(re.fullmatch(one, text) for one in known)}


def metrics_of(run: Path) -> set[str]:
    """Return the names of the metrics that a run has written."""
    lines = (run / "metrics.jsonl").read_text().splitlines()
    return {name for line in lines for name in json.loads(line)} - {"step"}


def test_a_metric_without_a_line_is_found() -> None:
    assert len(list(names())) > 90
    metrics = {"model/loss", "eval/test_known_at_15", "time/fit_seconds", "model/lost", "eval/known_at_x", "eval/NAME"}
    assert without_line(metrics) == {"model/lost", "eval/known_at_x", "eval/NAME"}


def test_every_name_is_there_once() -> None:
    found = list(names())
    assert sorted(set(found)) == sorted(found)


def test_the_files_that_write_metrics_exist() -> None:
    files = re.findall(r"`(worldmodels/[\w/.]+)`", PAGE)
    assert len(files) > 5 and [file for file in files if not (ROOT / file).exists()] == []


@pytest.mark.parametrize(
    "preset",
    ["debug", "debug_ppo", *(pytest.param(name, marks=pytest.mark.slow) for name in ("debug_simple", "debug_sac"))],
)
def test_every_metric_of_a_tiny_run_has_a_line(preset: str, tmp_path: Path) -> None:
    found = metrics_of(worldmodels.train("coinrun", preset, {"env.num_levels": 4}, tmp_path / "run"))
    assert "policy/updates" in found and without_line(found) == set()


def test_every_metric_of_recorded_runs_has_a_line() -> None:
    runs = sorted((ROOT / "benchmarks" / "results" / "generalisation").glob("*/seed_1"))
    assert len(runs) > 3 and set().union(*(without_line(metrics_of(run)) for run in runs)) == set()
