"""Takes the pages of the repository over into the site, where some stand in other places, so that links change."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path, PurePosixPath
from typing import NamedTuple

from site_pages.notebooks import as_markdown

ROOT = Path(__file__).parents[2]
RESULTS = PurePosixPath("benchmarks/results")
NOTEBOOKS = PurePosixPath("docs/notebooks")
OTHER_PLACES = {"CHANGELOG.md": "development/changelog.md", "CONTRIBUTING.md": "development/contributing.md"}
"""Pages at the top of the repository, and their places in the site."""
_CODE_OR_LINK = re.compile(r"^ *```.*?^ *```|`[^`\n]*`|(?P<before>\]\(|<img src=\")(?P<link>[^)\"\s]+)", re.M | re.S)
_ELSEWHERE = re.compile(r"[a-z]+:|#")


class Taken(NamedTuple):
    """Pages and other files by their places in the site."""

    pages: dict[str, str]
    files: dict[str, Path]


def take_over() -> Taken:
    """Return the Markdown pages that the site takes over, and the files that these show or link."""
    taken = Taken({}, {})
    for path in sources():
        text, linked = for_site(path, source_text(ROOT / path))
        taken.pages[str(site_place(path))] = text
        taken.files.update((str(site_place(file)), ROOT / file) for file in linked)
    return taken


def source_text(path: Path) -> str:
    """Return the Markdown of a page or a notebook."""
    return as_markdown(path) if path.suffix == ".py" else path.read_text(encoding="utf-8")


def sources() -> Iterator[PurePosixPath]:
    """Yield the paths of these pages and of the notebooks in the repository."""
    docs = [path for path in (ROOT / "docs").rglob("*.md") if "_build" not in path.parts]
    docs += (ROOT / NOTEBOOKS).glob("*.py")
    for file in sorted([*docs, *(ROOT / RESULTS).glob("*.md"), *map(ROOT.joinpath, OTHER_PLACES)]):
        yield PurePosixPath(file.relative_to(ROOT).as_posix())


def site_place(path: PurePosixPath) -> PurePosixPath:
    """Return the place in the site of a file of the repository.

    Pages of docs/ keep their places, a README is the index of its folder, and a notebook becomes a page. The folder of
    results is results/.
    Everything else, which readers download, stands in files/.
    """
    if str(path) in OTHER_PLACES:
        return PurePosixPath(OTHER_PLACES[str(path)])
    if path.is_relative_to("docs"):
        place = path.relative_to("docs")
        if path.is_relative_to(NOTEBOOKS):
            return place.with_suffix(".md")
        return place.with_name("index.md") if place.name == "README.md" else place
    if path.is_relative_to(RESULTS):
        is_folder = (ROOT / path).is_dir()  # the index says that folders stand in the repository
        return PurePosixPath("results/index.md") if is_folder else "results" / path.relative_to(RESULTS)
    return "files" / path


def for_site(page: PurePosixPath, text: str) -> tuple[str, list[PurePosixPath]]:
    """Return a page with the links of the site, and the files, no pages, to which it links."""
    files, here = [], site_place(page).parent

    def replaced(match: re.Match[str]) -> str:
        link = match["link"]
        if link is None or _ELSEWHERE.match(link):
            return match[0]
        path, mark, anchor = link.partition("#")
        target = PurePosixPath(os.path.normpath(page.parent / path))
        place = site_place(target)
        if place.suffix != ".md":
            files.append(target)
        return f"{match['before']}{os.path.relpath(place, here)}{mark}{anchor}"

    return _CODE_OR_LINK.sub(replaced, text), files
