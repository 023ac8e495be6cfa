"""The page of the gallery's worlds has the cards."""

from __future__ import annotations

import re
from pathlib import Path

from site_pages.worlds import entry, figures, films, pages

from worldmodels.core.files.packs import Card, gallery, read_card

DOCS = Path(__file__).parents[2] / "docs"
COLUMNS = (
    "eval/told_apart_coarse_at_15",
    "eval/told_apart_coarse_at_30",
    "eval/reward_average_precision",
    "eval/return",
    "eval/random_return",
    "eval/blind_return",
)

CARD = Card(
    title="Maze, 7 levels",
    game="maze",
    model="rssm",
    agent="random",
    step=12_000,
    command="worldmodels train --config demo",
    commit="0" * 40,
    licence="MIT",
    evaluation={"eval/known": 0.5, "eval/image_error_at_7": 0.01234, "eval/image_error_at_30": 0.1},
    levels="unseen",
)


def test_an_entry_says_how_the_world_was_made() -> None:
    text = "\n".join(entry("maze", CARD, 5_440_000))
    assert text.startswith("## Maze, 7 levels\n") and 'src="../films/maze.mp4"' in text
    for row in ("| name | `gallery:maze` |", "| policy | none |", "| real steps | 12,000 |", "| size | 5.4 MB |"):
        assert row in text
    assert "```\nworldmodels train --config demo\n```" in text


def test_figures_stand_in_columns_of_their_ages() -> None:
    lines = list(figures(CARD))
    assert "levels that are no training levels" in lines[0]
    assert lines[1] == "| metric | meaning | value | N = 7 | N = 30 |"
    assert lines[3].startswith("| `eval/known` | share of the variance") and lines[3].endswith(" | 0.5 |  |  |")
    assert lines[4].startswith("| `eval/image_error_at_N` | mean squared") and lines[4].endswith(" |  | 0.0123 | 0.1 |")


def test_every_world_has_an_entry_whose_metrics_have_meanings() -> None:
    text = pages()["reference/worlds.md"]
    assert all(f"`gallery:{name}`" in text and f"films/{name}.mp4" in films() for name in gallery())
    assert "` |  |" not in text


def test_the_gallery_s_table_has_the_cards() -> None:
    """A row is the world, its training levels, told apart after 15 and 30 steps, rewards, and three returns."""
    rows = dict(re.findall(r"^\| `gallery:(\w+)` \|(.*)\|$", (DOCS / "gallery.md").read_text(), re.MULTILINE))
    assert rows.keys() == gallery().keys()
    for name, row in rows.items():
        found = read_card(f"gallery:{name}").evaluation
        expected = [f"{found[metric]:.2f}" if metric in found else "-" for metric in COLUMNS]
        assert [cell.strip() for cell in row.split("|")][2:] == expected, name


def test_films_are_there() -> None:
    assert all(film.stat().st_size > 10_000 for film in films().values())
