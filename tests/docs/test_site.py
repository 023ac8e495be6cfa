"""The site has every page, each in its contents, and is built without a warning."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path, PurePosixPath

import pytest
from make_site import pages_and_files, write_source
from site_pages.contents import sections, with_pages_of_folder
from site_pages.edit_links import HOST_VARIABLE, edit_link, repository_address
from site_pages.repository import for_site, site_place

DOCS = Path(__file__).parents[2] / "docs"


@pytest.mark.parametrize(
    ("path", "place"),
    [
        ("docs/training.md", "training.md"),
        ("docs/algorithms/README.md", "algorithms/index.md"),
        ("docs/images/games.jpg", "images/games.jpg"),
        ("CHANGELOG.md", "development/changelog.md"),
        ("benchmarks/results", "results/index.md"),
        ("benchmarks/results/learning.png", "results/learning.png"),
        ("benchmarks/learning.py", "files/benchmarks/learning.py"),
    ],
)
def test_places(path: str, place: str) -> None:
    assert str(site_place(PurePosixPath(path))) == place


def test_links_lead_to_places_of_the_site() -> None:
    text = (
        "[a](ppo.md#speed) [b](../speed.md) ![`c`](../../benchmarks/results/x.png) [d](../../benchmarks/y.py) [e](#f) "
        '[g](https://h.i/j.md) `[k](../l.md)` <img src="../images/m.png">\n```\n[n](../o.md)\n```\n'
    )
    changed, files = for_site(PurePosixPath("docs/algorithms/README.md"), text)
    assert changed == (
        "[a](ppo.md#speed) [b](../speed.md) ![`c`](../results/x.png) [d](../files/benchmarks/y.py) [e](#f) "
        '[g](https://h.i/j.md) `[k](../l.md)` <img src="../images/m.png">\n```\n[n](../o.md)\n```\n'
    )
    assert list(map(str, files)) == ["benchmarks/results/x.png", "benchmarks/y.py", "docs/images/m.png"]


def test_a_section_has_its_links_and_the_rest_of_its_folder() -> None:
    index = "# T\n[z](z.md)\n## Start\n- [b](start/b.md): [x](https://y.z/x.md)\n## Results\n[r](results/index.md)\n"
    pages = ["start/a.md", "start/b.md", "start/index.md", "results/c.md", "results/index.md"]
    assert sections(index, pages) == {"Start": ["start/a.md", "start/b.md"], "Results": ["results/index.md"]}


def test_the_index_of_a_folder_has_the_pages_of_the_folder() -> None:
    text = with_pages_of_folder("# T\n", "a", ["a/index.md", "a/c.md", "a/b.md", "a/d/e.md", "f.md"])
    assert text == "# T\n\n```{toctree}\n:hidden:\n\nb.md\nc.md\n```\n"


def test_every_page_is_in_the_contents() -> None:
    pages, found = pages_and_files()[0], ["index.md"]
    for page in found:  # which grows
        trees = re.findall(r"```{toctree}\n(?::.*\n)*\n((?:[^`].*\n)*)```", pages[page])
        found += [str(PurePosixPath(page).parent / name) for tree in trees for name in tree.split()]
    assert sorted(found) == sorted(pages)


@pytest.mark.parametrize(
    ("page", "address", "link"),
    [
        ("training", "https://github.com/a/b", "https://github.com/a/b/edit/main/docs/training.md"),
        ("algorithms/index", "https://github.com/a/b", "https://github.com/a/b/edit/main/docs/algorithms/README.md"),
        (
            "notebooks/world_model",
            "https://gitlab.com/a/b",
            "https://gitlab.com/a/b/-/edit/main/docs/notebooks/world_model.py",
        ),
        ("development/changelog", "https://github.com/a/b", "https://github.com/a/b/edit/main/CHANGELOG.md"),
        ("reference/commands", "https://github.com/a/b", ""),  # from the code
        ("results/learning", "https://github.com/a/b", ""),  # from a benchmark
        ("training", "", ""),
    ],
)
def test_a_page_is_edited_where_it_stands(page: str, address: str, link: str) -> None:
    assert edit_link(page, address) == link


def test_the_address_of_the_repository_is_that_of_the_host() -> None:
    assert repository_address({HOST_VARIABLE: "git@github.com:a/b.git"}) == "https://github.com/a/b"
    assert repository_address({HOST_VARIABLE: "https://github.com/a/b/"}) == "https://github.com/a/b"
    assert repository_address({}) == ""  # pyproject.toml has none yet


def test_what_is_gone_leaves_the_source(tmp_path: Path) -> None:
    write_source(tmp_path)
    (tmp_path / "old.md").write_text("# Old\n")
    written = (tmp_path / "training.md").stat().st_mtime_ns
    write_source(tmp_path)
    assert not (tmp_path / "old.md").exists()
    assert (tmp_path / "training.md").stat().st_mtime_ns == written


def test_the_site_is_built_without_a_warning(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, str(DOCS / "make_site.py"), str(tmp_path)], capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")
    pages = pages_and_files()[0]
    assert [page for page in pages if not (tmp_path / "html" / page).with_suffix(".html").is_file()] == []
