"""The layers of the C++ sources, enforced as those of Python are: which folder may include what, and no circles.

binding     -> batch, core, the list of games
page        -> batch, core
batch       -> core, the list of games
games       -> art, generate, core
art         -> core
generate    -> core
core        -> nothing
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path

import layers
import pytest

ROOT = Path(__file__).parents[1] / "worldmodels" / "envs" / "native"
REGISTRY = "games/registry.h"

# What files of a folder may include beside their own folder: other folders, or single files of them.
ALLOWED = {
    "core": [],
    "art": ["core"],
    "generate": ["core"],
    "games": ["core", "art", "generate"],
    "batch": ["core", REGISTRY],
    "binding": ["core", "batch", REGISTRY],
    "page": ["core", "batch"],
}

INCLUDE = re.compile(r'^\s*#\s*include\s*"([^"]+)"', re.MULTILINE)

Sources = Mapping[str, str]


@pytest.fixture(scope="module")
def sources() -> Sources:
    """The text of every C++ file by its path below the root."""
    paths = [path for path in sorted(ROOT.rglob("*")) if path.suffix in (".h", ".cpp")]
    return {path.relative_to(ROOT).as_posix(): path.read_text() for path in paths}


def folder(path: str) -> str:
    return path.split("/")[0]


def unknown_includes(sources: Sources) -> list[str]:
    return [
        f"{path} includes {target}, which does not exist" for path, target in arrows(sources) if target not in sources
    ]


def wrong_arrows(sources: Sources) -> list[str]:
    """Includes of what a folder may not know."""
    return [
        f"{path} includes {target}; {folder(path)} may include {', '.join(ALLOWED[folder(path)]) or 'nothing else'}"
        for path, target in arrows(sources)
        if folder(target) != folder(path) and not {target, folder(target)} & set(ALLOWED[folder(path)])
    ]


def circles(sources: Sources) -> list[str]:
    """Files that include themselves by way of others. A source file and its header count as one."""
    graph: dict[str, set[str]] = {unit(path): set() for path in sources}
    for path, target in arrows(sources):
        if unit(target) != unit(path):
            graph[unit(path)].add(unit(target))
    return layers.circles(graph)


def arrows(sources: Sources) -> Iterator[tuple[str, str]]:
    for path, text in sources.items():
        for target in INCLUDE.findall(text):
            yield path, target


def unit(path: str) -> str:
    return path.rpartition(".")[0]


def test_every_folder_has_its_place(sources: Sources) -> None:
    assert {folder(path) for path in sources} == set(ALLOWED)


def test_every_include_names_a_file_by_its_path(sources: Sources) -> None:
    layers.report(unknown_includes(sources))


def test_includes_run_one_way(sources: Sources) -> None:
    layers.report(wrong_arrows(sources))


def test_no_file_includes_itself_in_a_circle(sources: Sources) -> None:
    layers.report(circles(sources))


@pytest.mark.parametrize(
    ("path", "include", "wrong"),
    [
        ("core/game.h", "art/maze.h", True),
        ("core/game.h", "core/check.h", False),
        ("art/maze.cpp", "generate/maze.h", True),
        ("generate/maze.cpp", "art/maze.h", True),
        ("games/maze.cpp", "batch/episode.h", True),
        ("games/maze.cpp", "art/maze.h", False),
        ("batch/episode.cpp", "games/leaper_crossing.h", True),
        ("batch/episode.cpp", REGISTRY, False),
        ("binding/module.cpp", "art/maze.h", True),
    ],
)
def test_an_arrow_that_runs_the_wrong_way_is_found(path: str, include: str, wrong: bool) -> None:
    assert bool(wrong_arrows({path: f'#pragma once\n  # include "{include}"\n'})) == wrong


def test_a_circle_is_found_also_by_way_of_a_source_file() -> None:
    headers = {"core/a.h": '#include "core/b.h"', "core/b.h": "", "core/c.h": '#include "core/a.h"'}
    assert circles(headers) == []
    assert circles({**headers, "core/b.cpp": '#include "core/c.h"'}) == ["core/a -> core/b -> core/c -> core/a"]
