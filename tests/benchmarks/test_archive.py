"""Cells of a benchmark in one file."""

from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import provenance
import pytest
from archive import Archive
from kept_cells import measure_cells

MADE = {"commit": "abc1234", "date": "2026-11-28", "processor": "Abacus (beads)"}


@pytest.fixture
def archive(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Archive:
    monkeypatch.setattr("archive.made_by", lambda: MADE)
    return Archive(tmp_path / "results" / "some.jsonl")


def test_a_cell_is_a_line_with_its_name_and_what_made_it(archive: Archive) -> None:
    assert archive.cells() == {}
    archive.keep("b/2", {"seed": 2})
    archive.keep("a/1", {"seed": 1})
    first, second = archive.path.read_text().splitlines()
    assert json.loads(first) == {"cell": "a/1", "seed": 1, "made_by": MADE}
    assert json.loads(second) == {"cell": "b/2", "seed": 2, "made_by": MADE}
    assert archive.cells() == {"a/1": {"seed": 1, "made_by": MADE}, "b/2": {"seed": 2, "made_by": MADE}}


def test_a_cell_that_is_kept_again_is_replaced(archive: Archive) -> None:
    for seed in (1, 2):
        archive.keep("a", {"seed": seed})
    assert archive.cells() == {"a": {"seed": 2, "made_by": MADE}}


def test_threads_lose_no_cell_of_each_other(archive: Archive) -> None:
    with ThreadPoolExecutor(8) as threads:
        list(threads.map(lambda seed: archive.keep(f"{seed:02d}", {"seed": seed}), range(40)))
    assert [cell["seed"] for cell in archive.cells().values()] == list(range(40))


def test_cells_that_are_kept_are_not_measured_again(archive: Archive, capsys: pytest.CaptureFixture[str]) -> None:
    wanted = [{"game": game, "kind": "new", "updates": 5, "seed": 1} for game in ("coinrun", "maze")]
    archive.keep("coinrun_new_5_1", {**wanted[0], "error": 0.5})
    cells = measure_cells(archive, wanted, lambda **cell: {"error": 0.25})
    assert [cell["error"] for cell in cells] == [0.5, 0.25]
    assert capsys.readouterr().out.count("\n") == 1
    assert list(archive.cells()) == ["coinrun_new_5_1", "maze_new_5_1"]


def test_what_is_made_now_is_what_an_archive_keeps(tmp_path: Path) -> None:
    archive = Archive(tmp_path / "some.jsonl")
    archive.keep("a", {})
    assert archive.cells()["a"]["made_by"] == provenance.made_by()
