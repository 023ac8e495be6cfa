"""Makes the site's tables of contents: the sidebar from the lists of index.md, and those of folders of pages."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from pathlib import PurePosixPath

_SECTION = re.compile(r"^## (?P<title>.+)\n(?P<text>(?:(?!## ).*\n?)*)", re.M)
_PAGE = re.compile(r"\]\((?P<page>[^)#:\s]+\.md)\)")
FOLDERS = {"Start": "start", "Tutorials": "tutorials", "How-to": ".", "Reference": "reference"}
"""Sections that also have those pages of a folder which index.md does not link."""


def sections(index: str, pages: Iterable[str]) -> dict[str, list[str]]:
    """Return the pages below each heading of index.md: the rest of the section's folder, then those that it links."""
    linked = {match["title"]: _PAGE.findall(match["text"]) for match in _SECTION.finditer(index)}
    known = {page for listed in linked.values() for page in listed}
    rest = {title: [page for page in sorted(pages) if is_in(page, folder)] for title, folder in FOLDERS.items()}
    return {
        title: [*(page for page in rest.get(title, []) if page not in known), *listed]
        for title, listed in linked.items()
    }


def is_in(page: str, folder: str) -> bool:
    """Return whether a page stands in a folder, or is the index of a folder that stands there."""
    path = PurePosixPath(page)
    place = path.parent if path.name == "index.md" else path
    return page != "index.md" and place.parent == PurePosixPath(folder)


def with_sidebar(index: str, pages: Iterable[str]) -> str:
    """Return index.md with its tables of contents, which the site shows in the sidebar alone."""
    trees = [toctree(listed, title) for title, listed in sections(index, pages).items() if listed]
    return "\n".join([index, *trees])


def with_pages_of_folder(index: str, folder: str, pages: Iterable[str]) -> str:
    """Return the index of a folder with the folder's pages below it in the sidebar."""
    return f"{index}\n{toctree([below(page, folder) for page in sorted(pages) if is_in(page, folder)])}"


def below(page: str, folder: str) -> str:
    """Return the path of a page from its folder."""
    return str(PurePosixPath(page).relative_to(folder))


def toctree(pages: Iterable[str], caption: str = "") -> str:
    """Return a hidden table of contents in MyST's Markdown."""
    options = [f":caption: {caption}"] if caption else []
    return "\n".join(["```{toctree}", ":hidden:", *options, "", *pages, "```", ""])


def titles(pages: Mapping[str, str], folder: str) -> str:
    """Return a list of links to the pages of a folder by their titles."""
    listed = [(page, text.partition("\n")[0].removeprefix("# ")) for page, text in sorted(pages.items())]
    return "".join(f"- [{title}]({below(page, folder)})\n" for page, title in listed if is_in(page, folder))
