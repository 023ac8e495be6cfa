"""Every link inside the project's Markdown leads to a file that exists, and to a heading of it."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PAGES = sorted(
    path
    for pattern in ("*.md", "docs/**/*.md", "benchmarks/results/*.md", "examples/**/*.md", ".github/**/*.md")
    for path in ROOT.glob(pattern)
    if "_build" not in path.parts  # the site, as it is built
)
LINK = re.compile(r"\]\(([^)\s]+)\)")
BLOCK_OF_CODE = re.compile(r"^ *```.*?^ *```", re.M | re.S)


def prose(text: str) -> str:
    """Return a page without its blocks and spans of code."""
    return re.sub(r"`[^`\n]*`", "", BLOCK_OF_CODE.sub("", text))


def anchors(text: str) -> set[str]:
    """Return the anchors that GitHub gives a page's headings; a heading that comes again gets a number."""
    found: Counter[str] = Counter()
    names = set()
    for heading in re.findall(r"^#+ (.+)$", BLOCK_OF_CODE.sub("", text), re.M):
        words = re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", heading).strip().lower()
        name = re.sub(r"[^\w\- ]", "", words).replace(" ", "-")
        names.add(f"{name}-{found[name]}" if found[name] else name)
        found[name] += 1
    return names


def broken(page: Path) -> list[str]:
    """Return the links of a page that lead nowhere."""
    wrong = []
    for link in LINK.findall(prose(page.read_text())):
        if re.match(r"(https?|mailto):", link):
            continue
        path, _, anchor = link.partition("#")
        target = (page.parent / path).resolve() if path else page
        missing = not target.exists() or not target.is_relative_to(ROOT)
        if missing or (anchor and (target.suffix != ".md" or anchor not in anchors(target.read_text()))):
            wrong.append(link)
    return wrong


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_lead_somewhere(page: Path) -> None:
    assert broken(page) == []


def test_anchors_are_those_of_the_host() -> None:
    text = "# One's own\n## `eval`: 20,000 steps\n## Again\n```\n# no heading\n```\n## Again\n## [A](b.md) and B\n"
    assert anchors(text) == {"ones-own", "eval-20000-steps", "again", "again-1", "a-and-b"}


def test_a_link_that_leads_nowhere_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(globals(), "ROOT", tmp_path)
    page, other = tmp_path / "page.md", tmp_path / "other.md"
    other.write_text("# There\n")
    page.write_text("# Here\n[a](other.md) [b](other.md#there) [c](#here) [d](https://x.y/z#w) `[e](code.md)`\n")
    assert broken(page) == []
    page.write_text("[a](missing.md) [b](other.md#here) [c](#there) [d](../outside.md)\n")
    assert broken(page) == ["missing.md", "other.md#here", "#there", "../outside.md"]
