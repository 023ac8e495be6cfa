"""The site plays learned worlds where they were built, and fetches nothing of them before Play is pressed."""

from __future__ import annotations

import asyncio
import json
import shutil
from pathlib import Path

import pytest
from browsing import served, tab
from make_site import pages_and_files
from site_pages import learned_page

DOCS = Path(__file__).parents[2] / "docs"
PAGES = {"a.md": "# A\n", "b/c.md": "# C\n\n[![Still](../images/page.jpg)](../page.md)\n"}


@pytest.fixture
def built(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A page of two worlds, as if `make page` had built it."""
    folder = tmp_path / "built"
    folder.mkdir()
    worlds = [{"name": "maze"}, {"name": "heist"}]
    (folder / "page.json").write_text(json.dumps({"worlds": worlds}))
    (folder / "index.html").write_text("<p>There is a world.</p>")
    monkeypatch.setattr(learned_page, "BUILT", folder)
    return folder


def test_a_still_leads_to_the_first_world(built: Path) -> None:
    pages = learned_page.with_page(PAGES)
    assert pages["a.md"] == PAGES["a.md"]
    assert '<a class="play" href="../play/index.html" data-frame="../play/index.html#world=maze">' in pages["b/c.md"]
    assert "\n![Still](../images/page.jpg)\n" in pages["b/c.md"] and "](../page.md)" not in pages["b/c.md"]


def test_without_a_page_the_still_leads_to_how_it_is_built(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(learned_page, "BUILT", tmp_path / "none")
    assert learned_page.with_page(PAGES) == PAGES
    (tmp_path / "play").mkdir()
    learned_page.copy_page(tmp_path)
    assert not (tmp_path / "play").exists()


def test_the_page_is_copied(built: Path, tmp_path: Path) -> None:
    (tmp_path / "play").mkdir()
    (tmp_path / "play" / "old.js").touch()
    learned_page.copy_page(tmp_path)
    assert sorted(file.name for file in (tmp_path / "play").iterdir()) == ["index.html", "page.json"]


def test_the_front_page_and_the_tutorial_have_the_still(built: Path) -> None:
    pages = pages_and_files()[0]
    assert [place for place, text in pages.items() if 'class="play"' in text] == [
        "index.md",
        "tutorials/play_inside.md",
    ]


def test_nothing_is_fetched_before_play_is_pressed(built: Path, tmp_path: Path) -> None:
    learned_page.copy_page(tmp_path)
    shutil.copy(DOCS / "static" / "play.js", tmp_path)
    script, still = (
        '<script src="play.js" defer></script>',
        '<a class="play" href="play/index.html" data-frame="play/index.html#world=maze">Play</a>',
    )
    (tmp_path / "index.html").write_text(f'<link rel="icon" href="data:,">{script}{still}')
    fetched: list[str] = []

    async def main(address: str) -> None:
        async with tab() as page:
            page.on("request", lambda request: fetched.append(request.url.removeprefix(address)))
            await page.goto(address)
            assert fetched == ["", "play.js"]
            await page.click("a.play")
            await page.frame_locator("iframe").get_by_text("There is a world.").wait_for()
            assert fetched[2] == "play/index.html"
            assert await page.get_attribute("iframe", "src") == "play/index.html#world=maze"
            assert await page.get_attribute("a", "href") == f"{address}play/index.html"  # in a tab of its own

    with served(tmp_path) as address:
        asyncio.run(main(address))
