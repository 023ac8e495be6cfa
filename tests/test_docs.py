"""The generated page of games says what the table of games says."""

from __future__ import annotations

import runpy
from pathlib import Path

from worldmodels.envs import GAMES

DOCS = Path(__file__).parent.parent / "docs"


def test_the_page_of_games_is_up_to_date() -> None:
    generated = runpy.run_path(str(DOCS / "make_games.py"))["text"]()
    assert (DOCS / "games.md").read_text() == generated, "run: python docs/make_games.py"


def test_every_game_has_a_picture() -> None:
    assert {path.stem for path in (DOCS / "images" / "games").iterdir()} == set(GAMES), "run: python docs/make_games.py"
