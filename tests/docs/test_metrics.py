"""The register of metrics has every metric that a run writes, and the page of metrics has the register."""

from __future__ import annotations

import ast
import json
import re
import runpy
from collections.abc import Iterator
from pathlib import Path

import pytest

import worldmodels
from worldmodels.telemetry.metrics import metric_groups

ROOT = Path(__file__).parents[2]
GROUPS = "model|policy|eval|time|replay|training|episode"


def names() -> Iterator[str]:
    """Yield the registered names."""
    for group in metric_groups():
        for found, _ in group.rows():
            yield from found


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


def words_of_the_code() -> tuple[set[str], set[str]]:
    """Return the texts and the identifiers in the package's sources; a value in a text is NAME."""
    texts, identifiers = set(), set()
    for file in (ROOT / "worldmodels").rglob("*.py"):
        for node in ast.walk(ast.parse(file.read_text())):
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                texts.add(node.value)
            elif isinstance(node, ast.JoinedStr):
                parts = [part.value if isinstance(part, ast.Constant) else "NAME" for part in node.values]
                texts.add("".join(map(str, parts)))
            elif isinstance(node, ast.Name):
                identifiers.add(node.id)
    return texts, identifiers


def test_the_page_has_the_register() -> None:
    docs = ROOT / "docs"
    assert (docs / "metrics.md").read_text() == runpy.run_path(str(docs / "make_metrics.py"))["text"](), (
        "run: python docs/make_metrics.py"
    )


def test_every_name_in_the_code_has_a_line() -> None:
    literal = {text for text in words_of_the_code()[0] if re.fullmatch(rf"({GROUPS})/[a-z_./]+[a-z]", text)}
    assert len(literal) > 30 and without_line(literal) == set()


def test_every_line_has_a_name_in_the_code() -> None:
    texts, identifiers = words_of_the_code()
    words = "\n".join(texts | identifiers)

    def is_made(name: str) -> bool:
        base = re.sub("_at_N$", "", name.partition("/")[2])
        shorter = re.sub("^(real|copied|imagined)_|_loss$", "", base)  # such parts are added to a name
        return base in words or shorter in words

    assert [name for name in names() if "NAME" not in name and not is_made(name)] == []


def test_a_metric_without_a_line_is_found() -> None:
    assert len(list(names())) > 90
    metrics = {"model/loss", "eval/test_known_at_15", "time/fit_seconds", "model/lost", "eval/known_at_x", "eval/NAME"}
    assert without_line(metrics) == {"model/lost", "eval/known_at_x", "eval/NAME"}


def test_every_name_is_there_once() -> None:
    found = list(names())
    assert sorted(set(found)) == sorted(found)


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
