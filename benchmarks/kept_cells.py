"""Measures the missing cells of a benchmark, keeps them, and groups them into the rows of a table.

A cell is a game, a kind of model, a number of updates and a seed; its name is GAME_KIND_UPDATES_SEED.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from archive import Archive

from worldmodels.analysis.statistics.bootstrap import estimate
from worldmodels.core.files.writing import write_atomic

Found = dict[str, Any]


def measure_cells(
    archive: Archive, wanted: Iterable[Mapping[str, Any]], measure: Callable[..., Mapping[str, Any]]
) -> list[Found]:
    """Measure those of the wanted cells that are not kept yet, and return all that are, wanted or not.

    Args:
        wanted: what makes each cell, in the order of its name; `measure` takes it by name.
    """
    for cell in wanted:
        name = "_".join(map(str, cell.values()))
        if name not in archive.cells():
            found = {**cell, **measure(**cell)}
            archive.keep(name, found)
            print(found, flush=True)
    return list(archive.cells().values())


def heading(title: str, doc: str | None) -> str:
    """Return the beginning of a report: its title, and the docstring of its script."""
    return f"# {title}\n\n```\n{(doc or '').strip()}\n```\n"


def write_report(path: Path, cells: list[Found], report: Callable[[list[Found]], str]) -> None:
    """Write and print the report of the cells; nothing if there are none."""
    if cells:
        text = report(cells)
        write_atomic(path, text)
        print(text)


def over_seeds(
    cells: Iterable[Found], games: Sequence[str], kind: str, kinds: Sequence[str]
) -> Iterator[tuple[int, str, str, list[Found]]]:
    """Yield updates, game, kind and the cells of all seeds, in the order of a table.

    Args:
        kind: the name that the kind of model has in a cell.
    """
    groups: dict[tuple[int, int, int], list[Found]] = {}
    for cell in cells:
        place = (cell["updates"], games.index(cell["game"]), kinds.index(cell[kind]))
        groups.setdefault(place, []).append(cell)
    for (updates, game, which), those in sorted(groups.items()):
        yield updates, games[game], kinds[which], those


def mean_cell(values: Sequence[float]) -> str:
    """Return a mean for a table, with its interval where there are three values or more."""
    found = estimate(values)
    return f"{found.mean:.2f}" + (f" ({found.low:.2f} to {found.high:.2f})" if len(values) > 2 else "")
