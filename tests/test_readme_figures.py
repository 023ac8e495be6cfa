"""Each figure in a table of results stands in the files of results that the page names above the table.

A page names them in a comment on the line before a table or a paragraph: `<!-- figures: FILE FILE -->`. A file has a
figure if it has the same number, or one with more decimals that rounds to it.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
COMMENT = re.compile(r"^<!-- figures: (.+) -->\n((?:.+\n)+)", re.M)
NUMBER = re.compile(r"(?<![\w.])-?\d+(?:,\d{3})*(?:\.\d+)?")
PAGES = [page for page in (ROOT / "README.md", *(ROOT / "docs").rglob("*.md")) if COMMENT.search(page.read_text())]


def numbers(text: str) -> set[str]:
    """Return the numbers of a text as they are written, without those inside code and addresses."""
    return set(NUMBER.findall(re.sub(r"`[^`]*`|\]\([^)]*\)", " ", text)))


def stands_in(number: str, known: set[str]) -> bool:
    """Return whether a number is known, or is the rounded form of a known number."""
    decimals = len(number.partition(".")[2])
    longer = (other for other in known if len(other.partition(".")[2]) > decimals)
    value = number.replace(",", "")
    return number in known or any(f"{float(other.replace(',', '')):.{decimals}f}" == value for other in longer)


def unfounded(page: str, folder: Path) -> list[str]:
    """Return the numbers of a page's tables of results that none of the files above them has."""
    wrong = []
    for files, block in COMMENT.findall(page):
        known = set().union(*(numbers((folder / name).read_text()) for name in files.split()))
        wrong += sorted(number for number in numbers(block) if not stands_in(number, known))
    return wrong


def tables(page: str) -> list[str]:
    """Return the tables of a page, each with the line above it."""
    return re.findall(r"^.*\n(?:\|.*\n)+", page, re.M)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_figures_are_in_the_results(page: Path) -> None:
    assert unfounded(page.read_text(), ROOT) == []


@pytest.mark.parametrize("page", ["README.md", "docs/start/tour.md"])
def test_a_first_page_names_the_results_of_each_table_of_figures(page: str) -> None:
    found = [table for table in tables((ROOT / page).read_text()) if re.search(r"\| -?\d+\.\d", table)]
    assert found
    assert [table.splitlines()[0] for table in found if not COMMENT.match(table)] == []


def test_a_figure_that_is_not_in_the_results_is_found(tmp_path: Path) -> None:
    (tmp_path / "results.md").write_text("| a | 0.018 (-0.004 to 0.033) | 1,372 | 12M |\n")
    page = "<!-- figures: results.md -->\n| Dreamer | 0.018 (-0.004 to 0.033) | 1,372 | at 12M | `9` | [x](y_8.md) |\n"
    assert unfounded(page, tmp_path) == []
    assert unfounded(page.replace("0.018", "0.02"), tmp_path) == []
    assert unfounded(page.replace("0.018", "0.01").replace("-0.004", "0.004"), tmp_path) == ["0.004", "0.01"]
    assert unfounded("<!-- figures: results.md -->\n1,37 or 372\n\n5 is in another paragraph\n", tmp_path) == [
        "1",
        "37",
        "372",
    ]


ENVIRONMENTS = ROOT / "docs/native_games.md"


def rows(file: str) -> list[list[str]]:
    """Return the cells of the rows of a table of results, without its head."""
    lines = re.findall(r"^\| ([a-z_]+ \|.*) \|$", (ROOT / "benchmarks/results" / file).read_text(), re.M)
    return [line.split(" | ") for line in lines if not line.startswith("game |")]


def test_the_modes_are_counted_whose_random_returns_are_those_of_procgen() -> None:
    distances = [float(row[4]) for row in rows("random_policy.md") if row[4] != "-"]
    near = sum(abs(distance) < 3 for distance in distances)
    assert f"{near} of {len(distances)} game modes" in ENVIRONMENTS.read_text()


def test_the_games_are_counted_whose_levels_were_all_solved() -> None:
    found = rows("certification.md")
    assert all(row[3:5] == ["0", "0"] for row in found) and {row[2] for row in found} == {"100,000", "1"}
    solved = {row[0] for row in found} - {row[0] for row in found if row[5] == "-"}
    assert f"In {len(solved)} games each of these levels was solved" in ENVIRONMENTS.read_text()
