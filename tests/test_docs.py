"""The documentation says what the code says: generated pages, and names of files that must exist."""

from __future__ import annotations

import re
import runpy
from pathlib import Path

import pytest

from worldmodels.envs import GAMES

ROOT = Path(__file__).parent.parent
DOCS, PACKAGE = ROOT / "docs", ROOT / "worldmodels"


def test_the_page_of_games_is_up_to_date() -> None:
    generated = runpy.run_path(str(DOCS / "make_games.py"))["text"]()
    assert (DOCS / "games.md").read_text() == generated, "run: python docs/make_games.py"


def test_every_game_has_a_picture() -> None:
    assert {path.stem for path in (DOCS / "images" / "games").iterdir()} == set(GAMES), "run: python docs/make_games.py"


@pytest.mark.parametrize("page", ["architecture.md", "glossary.md"])
def test_files_that_are_named_exist(page: str) -> None:
    names = re.findall(r"`([\w*/]+/[\w*]+\.(?:py|h|cpp|md|yaml))[`:]", (DOCS / page).read_text())
    missing = [
        name
        for name in names
        if not any(list(root.glob(name)) for root in (PACKAGE, ROOT, PACKAGE / "envs", PACKAGE / "envs/native"))
    ]
    assert names and not missing


def test_the_walk_fits_on_a_page() -> None:
    walk = (DOCS / "architecture.md").read_text().split("## A walk")[1].split("\n## ")[0]
    assert 20 < len(walk.splitlines()) <= 40


def test_every_term_of_the_glossary_has_a_sentence_and_a_place() -> None:
    rows = [
        [cell.strip() for cell in line.strip("|").split("|")]
        for line in (DOCS / "glossary.md").read_text().splitlines()
        if line.startswith("|") and not line.startswith(("|---", "| our term"))
    ]
    assert len(rows) > 50
    for term, sentence, _, file in rows:
        assert term and sentence.endswith(".") and file, term
    assert len({row[0] for row in rows}) == len(rows)
