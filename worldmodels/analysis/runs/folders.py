"""Finds run folders by their paths, by a folder around them, or by how their names begin."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from worldmodels.core.errors import RunError
from worldmodels.core.files.writing import is_temporary
from worldmodels.core.lookup import nearest, shortened

_LISTED = 10
"""An error names so many folders at most."""


def find_runs(paths: Sequence[Path | str], select: Sequence[str] = (), exclude: Sequence[str] = ()) -> list[Path]:
    """Return the run folders that `paths` stand for, each once, in the order of `paths` and then of their names.

    A run folder is one with a `metrics.jsonl`. A path is a run folder, or a folder that contains some, however deep;
    if there is no such folder, it is the beginning of the names of folders. `runs/sac` then stands for `runs/sac_0` and
    `runs/sac_1`, and for the runs inside them. Links are followed, each folder once.

    Args:
        select: texts that the path of a run must contain, all of them.
        exclude: texts of which it must contain none.

    Raises:
        RunError: a path stands for no run, or no run is left.
    """
    return [run for runs in find_runs_by_path(paths, select, exclude).values() for run in runs]


def find_runs_by_path(
    paths: Sequence[Path | str], select: Sequence[str] = (), exclude: Sequence[str] = ()
) -> dict[Path, list[Path]]:
    """Return the runs of `find_runs` by the first of the `paths` that stands for them; no path without a run."""
    found: dict[tuple[int, int], tuple[Path, Path]] = {}
    if "" in paths:
        raise RunError("A path is empty; '.' stands for the present folder.")
    for path in map(Path, paths):
        tops = [path] if os.path.isdir(path) else _beginning_with(path)
        runs = list(_runs_below(tops))
        if not runs:
            raise RunError(_nothing_found(path, tops))
        for run in runs:
            found.setdefault(_identity(run), (path, run))
    chosen: dict[Path, list[Path]] = {}
    for path, run in found.values():
        if _is_chosen(str(run), select, exclude):
            chosen.setdefault(path, []).append(run)
    if not chosen:
        raise RunError(_nothing_chosen([run for _, run in found.values()], select, exclude))
    return chosen


def walk_folders(paths: Sequence[Path | str]) -> Iterator[Path]:
    """Yield the folders that `paths` stand for in `find_runs`, and those below them but for what is inside of runs."""
    for path in map(Path, paths):
        yield from _folders_below([path] if os.path.isdir(path) else _beginning_with(path))


def is_recorded(folder: Path) -> bool:
    """Return whether a folder is that of a run that has recorded something."""
    return os.path.lexists(folder / "metrics.jsonl")


def _runs_below(tops: Iterable[Path]) -> Iterator[Path]:
    """Yield the run folders among and below some folders."""
    return filter(is_recorded, _folders_below(tops))


def _folders_below(tops: Iterable[Path]) -> Iterator[Path]:
    """Yield some folders and those below them, each once; a run's own folders hold no further run."""
    waiting, seen = list(tops)[::-1], set()
    while waiting:
        folder = waiting.pop()
        if (identity := _identity(folder)) in seen:
            continue  # links may lead to where we are
        seen.add(identity)
        yield folder
        if not is_recorded(folder):
            waiting += _folders_in(folder)[::-1]


def _folders_in(folder: Path) -> list[Path]:
    """Return the folders inside one, by name; numbers in names count as numbers."""
    names = [name for name in os.listdir(folder) if not is_temporary(name)]
    return [folder / name for name in sorted(names, key=_in_natural_order) if os.path.isdir(folder / name)]


def _in_natural_order(name: str) -> list[tuple[float, str]]:
    """Return what to sort a name by: `a2` comes before `a10`, and `a0.01` before `a0.1`."""
    parts = re.split(r"(\d+(?:\.\d+)?)", name)  # every second one is a number
    return [(float(part), part) if index % 2 else (-1, part) for index, part in enumerate(parts)]


def _beginning_with(path: Path) -> list[Path]:
    beside = _folders_in(path.parent) if os.path.isdir(path.parent) else []
    return [folder for folder in beside if folder.name.startswith(path.name)]


def _identity(folder: Path) -> tuple[int, int]:
    status = os.stat(folder)
    return status.st_dev, status.st_ino


def _is_chosen(path: str, select: Sequence[str], exclude: Sequence[str]) -> bool:
    return all(text in path for text in select) and not any(text in path for text in exclude)


def _nothing_found(path: Path, tops: Sequence[Path]) -> str:
    if path in tops:
        fact = f"There is no run in '{path}': neither it nor a folder in it holds a metrics.jsonl."
    elif tops:
        fact = f"There is no run in {_listed(tops)}: they and the folders in them hold no metrics.jsonl."
    else:
        name = shortened(str(path))
        fact = f"There is no folder '{name}', and beside it none whose name begins with '{shortened(path.name)}'."
    beside = [folder for folder in _folders_in(path.parent) if folder != path] if os.path.isdir(path.parent) else []
    guess = nearest(path.name, [folder.name for folder in beside])
    if guess:
        return f"{fact} Did you mean '{path.parent / guess}'?"
    return f"{fact} Folders beside it: {_listed(beside) or 'none'}."


def _nothing_chosen(found: Sequence[Path], select: Sequence[str], exclude: Sequence[str]) -> str:
    rules = [f"contains '{text}'" for text in select] + [f"does not contain '{text}'" for text in exclude]
    return f"No run is left whose path {' and '.join(rules)}. Runs found: {_listed(found)}."


def _listed(folders: Sequence[Path]) -> str:
    more = f" and {len(folders) - _LISTED} more" if len(folders) > _LISTED else ""
    return ", ".join(f"'{folder}'" for folder in folders[:_LISTED]) + more
