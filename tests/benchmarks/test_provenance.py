"""Every result says which code made it, and every script that writes a result sees to that."""

from __future__ import annotations

import json
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import provenance
import pytest

BENCHMARKS = Path(provenance.__file__).parent
RESULTS = BENCHMARKS / "results"
SAID = re.compile(r"(Made at|[Ll]ast changed at) commits? [0-9a-f]{7}")
WRITES = re.compile(r"write_text\(|write_atomic\(|\.keep\(")
MEANS = re.compile(r"\b(made_by|made_now|Archive)\(")


def test_a_line_names_each_commit_day_and_processor_once() -> None:
    made = {"commit": "abc1234", "date": "2026-11-28", "processor": "Abacus (beads)"}
    later = {**made, "date": "2026-11-29"}
    old = [{"made_by": {"last_changed_at": commit}} for commit in ("bbb0000", "aaa0000", "bbb0000")]
    new = [{"made_by": each} for each in (later, made, made)]
    first, second = (f"Made at commit abc1234 on 2026-11-{day} on Abacus (beads)." for day in (28, 29))
    assert provenance.made_line(new) == f"{first} {second}"
    assert provenance.made_line(old) == "Last changed at commits aaa0000, bbb0000."
    assert provenance.made_line([*old[:1], new[1]]) == f"{first} Other results were last changed at commit bbb0000."


def test_a_changed_file_outside_the_results_is_noted(tmp_path: Path) -> None:
    def git(*words: str) -> None:
        who = ["-c", "user.name=A", "-c", "user.email=a@b.c"]
        subprocess.run(["git", *who, *words], cwd=tmp_path, check=True, capture_output=True)

    def commit() -> str:
        return provenance.this_commit.__wrapped__(tmp_path)

    assert commit() == "unknown"
    (tmp_path / "benchmarks" / "results").mkdir(parents=True)
    (tmp_path / "code.py").write_text("1\n")
    git("init", "-q")
    git("add", ".")
    git("commit", "-qm", "first")
    clean = commit()
    assert re.fullmatch(r"[0-9a-f]{7,}", clean)
    (tmp_path / "benchmarks" / "results" / "some.md").write_text("2\n")
    assert commit() == clean
    (tmp_path / "code.py").write_text("2\n")
    assert commit() == f"{clean}+changes"


def test_what_is_made_now_has_a_commit_a_day_and_a_processor() -> None:
    found = provenance.made_by()
    assert list(found) == ["commit", "date", "processor"] and all(found.values())
    assert re.fullmatch(r"\d{4}-\d\d-\d\d", found["date"])


def scripts() -> Iterator[Path]:
    """Yield the scripts that write into the folder of results."""
    for path in sorted(BENCHMARKS.glob("*.py")):
        text = path.read_text()
        if "results" in text and WRITES.search(text) and path.name != "archive.py":
            yield path


@pytest.mark.parametrize("path", list(scripts()), ids=lambda path: path.stem)
def test_a_script_that_writes_a_result_says_what_made_it(path: Path) -> None:
    assert MEANS.search(path.read_text()), f"{path.name} writes a result without made_by(), made_now() or an Archive"


def test_the_scripts_that_write_results_are_found() -> None:
    assert {"learning", "train_speed", "random_policy", "faults"} <= {path.stem for path in scripts()}


@pytest.mark.parametrize("path", sorted(RESULTS.glob("*.md")), ids=lambda path: path.name)
def test_a_page_of_results_names_its_commits(path: Path) -> None:
    assert SAID.search(path.read_text())


@pytest.mark.parametrize("path", sorted(RESULTS.glob("*.jsonl")), ids=lambda path: path.name)
def test_each_cell_of_an_archive_says_what_made_it(path: Path) -> None:
    cells = [json.loads(line) for line in path.read_text().splitlines()]
    assert cells and all(is_made(cell) for cell in cells)


@pytest.mark.parametrize("path", sorted(RESULTS.glob("*.json")), ids=lambda path: path.name)
def test_each_part_of_a_tree_says_what_made_it(path: Path) -> None:
    tree = json.loads(path.read_text())
    if path.name == "learning.json":  # made from the cells of an archive
        assert all(SAID.search(figures["made"]) for figures in tree)
        return
    parts = tree.get("runs") or tree.get("records") or tree
    parts = list(parts.values()) if isinstance(parts, dict) else parts
    assert is_made(tree) or all(is_made(part) for part in parts)


def is_made(found: dict[str, Any]) -> bool:
    """Return whether a result has its provenance."""
    made = found.get("made_by", {})
    return set(made) in ({"commit", "date", "processor"}, {"last_changed_at"})
