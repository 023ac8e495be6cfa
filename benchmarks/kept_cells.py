"""Cells that a benchmark measures one by one and keeps, and the rows of their table.

A cell is a game, a kind of model, a number of updates and a seed; it is kept as GAME_KIND_UPDATES_SEED.json.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from worldmodels.analysis.aggregate import estimate
from worldmodels.core.files import write_atomic

Found = dict[str, Any]


def measure_cells(
    folder: Path, wanted: Iterable[Mapping[str, Any]], measure: Callable[..., Mapping[str, Any]]
) -> list[Found]:
    """Measure those of the wanted cells that are not kept yet, and return all that are, wanted or not.

    Args:
        wanted: what makes each cell, in the order of its file's name; `measure` takes it by name.
    """
    for cell in wanted:
        path = folder / f"{'_'.join(map(str, cell.values()))}.json"
        if not path.exists():
            found = {**cell, **measure(**cell)}
            path.parent.mkdir(parents=True, exist_ok=True)
            write_atomic(path, json.dumps(found, allow_nan=False) + "\n")
            print(found, flush=True)
    return [json.loads(path.read_text()) for path in sorted(folder.glob("*.json"))]


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
