"""Builds the documentation's site: the pages of docs/, results, and reference pages that are written from the code.

    python docs/make_site.py              # into docs/_build/html
    python docs/make_site.py FOLDER       # into FOLDER/html

Warnings are errors. FOLDER/source has the pages from which Sphinx builds the site, FOLDER/extra what stands
beside them there: films, and the page of learned worlds.
"""

from __future__ import annotations

import argparse
import shutil
import sys
from pathlib import Path

from site_pages import commands, configuration, learned_page, presets, python_interface, worlds
from site_pages.contents import titles, with_pages_of_folder, with_sidebar
from site_pages.repository import take_over

from worldmodels.core.files.writing import write_atomic

DOCS = Path(__file__).parent
RESULTS = """# All results

Written by the scripts in `benchmarks/`, each with the command that makes it. Records and runs stand beside these pages
in `benchmarks/results`.

"""


def pages_and_files() -> tuple[dict[str, str], dict[str, Path]]:
    """Return the text of every page and the path of every other file of the site, by their places."""
    pages, files = take_over()
    for written in (configuration, presets, commands, python_interface, worlds):
        pages |= written.pages()
    pages["results/index.md"] = RESULTS + titles(pages, "results")
    for page in pages:
        folder, _, name = page.rpartition("/")
        if folder and name == "index.md":
            pages[page] = with_pages_of_folder(pages[page], folder, pages)
    pages["index.md"] = with_sidebar(pages["index.md"], pages)
    return learned_page.with_page(pages), files


def write_source(folder: Path) -> None:
    """Write all pages and files into a folder; what has not changed stays, so that Sphinx reads it once."""
    pages, files = pages_and_files()
    for old in [path for path in folder.rglob("*") if path.is_file()]:
        if old.relative_to(folder).as_posix() not in {*pages, *files}:
            old.unlink()
    for place, text in pages.items():
        path = folder / place
        path.parent.mkdir(parents=True, exist_ok=True)
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            write_atomic(path, text)
    for place, file in files.items():
        (folder / place).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(file, folder / place)


def write_extra(folder: Path) -> None:
    """Write the films that pages show, and the page of learned worlds, into a folder, as they stand in the site."""
    learned_page.copy_page(folder)
    for place, film in worlds.films().items():
        (folder / place).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(film, folder / place)


def main() -> int:
    """Build the site, and return Sphinx's exit status."""
    from sphinx.cmd.build import main as build

    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", nargs="?", type=Path, default=DOCS / "_build", metavar="FOLDER")
    folder: Path = parser.parse_args().folder
    write_source(folder / "source")
    write_extra(folder / "extra")
    if not learned_page.is_built():
        print("The learned worlds to play in are left out: `make page` has not built them into build/page.")
    options = ["--fail-on-warning", "--keep-going", "--nitpicky", "--quiet", "--write-all", "--conf-dir", str(DOCS)]
    options += ["--define", f"html_extra_path={(folder / 'extra').resolve()}"]
    status = build([*options, "--doctree-dir", *(str(folder / name) for name in ("doctrees", "source", "html"))])
    if status == 0:
        print(f"The site is made: open {folder / 'html' / 'index.html'} in a browser.")
    return status


if __name__ == "__main__":
    sys.exit(main())
