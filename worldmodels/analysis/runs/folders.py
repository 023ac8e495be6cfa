"""Finds run folders by their paths, by a folder around them, or by how their names begin.

Reads the configuration of a run from its folder, as texts by full key.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

from worldmodels.core.errors import ConfigError, RunError, nearest, shortened
from worldmodels.core.files.writing import is_temporary, read_regular
from worldmodels.core.files.yaml_files import parse_value

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


Settings = dict[str, str]
"""The values of a configuration by full key, as texts: {"seed": "3", "env.game": "maze", ...}, in its order."""
_MOST = 10_000
"""A configuration has a few hundred values; a file with more is none of ours."""
_WHOLE_LINE = re.compile(
    r""" *[\w.]+:( ([^\s&*!|>#"'\[\]{}][^#"'\[\]{}]*|\[[^&*!|>#"'\[\]{}]*\]|\{\}|'[^'\\]*'|"[^"\\]*")?)?"""
)
"""A line of a configuration that says all that it says by itself: no anchor, no text that goes on in the next line."""


def read_settings(run: Path) -> Settings:
    """Return the configuration of a run.

    Raises:
        FileNotFoundError: it has none.
        UserError: it cannot be read.
    """
    return dict(_leaves(read_tree(run), ""))


def read_tree(run: Path) -> Mapping[str, Any]:
    """Return the configuration of a run, nested as in its file; it is not to be changed. Raises as `read_settings`."""
    file = run / "config.yaml"
    try:
        text = read_regular(file).decode()
    except UnicodeDecodeError as error:
        raise ConfigError(f"Configuration file '{file}' is not text in UTF-8 (byte {error.start}).") from error
    tree = _by_sections(text) or parse_value(text, str(file))
    if not isinstance(tree, Mapping) or not tree:
        raise ConfigError(f"{file}: a configuration file holds lines of the form 'key: value', but this one does not.")
    if _is_too_large(tree):
        raise ConfigError(f"{file}: a configuration has at most {_MOST:,} values.")
    return tree


def _by_sections(text: str) -> dict[str, Any] | None:
    """Return what a text says, read section by section; None where it has to be read as a whole.

    The runs of an experiment have most sections in common, and equal sections are read once. To read a whole file takes
    60 ms.
    """
    if not all(map(_WHOLE_LINE.fullmatch, text.splitlines())):
        return None
    before, *sections = re.split(r"^(?=\S)", text, flags=re.MULTILINE)
    if before:
        return None
    try:
        trees = [_section(section) for section in sections]
    except ConfigError:
        return None
    merged = {key: value for tree in trees for key, value in tree.items()}
    return merged if len(merged) == len(sections) else None


@lru_cache(maxsize=4096)
def _section(text: str) -> Any:
    return parse_value(text, "a section")


def _is_too_large(tree: Any) -> bool:
    """Return whether a tree has too many values; the anchors of a YAML file can name one list a billion times."""
    waiting, seen = [tree], 0
    while waiting and seen <= _MOST:
        node, seen = waiting.pop(), seen + 1
        waiting += node.values() if isinstance(node, Mapping) else node if isinstance(node, list) else ()
    return seen > _MOST


def _leaves(tree: Any, where: str) -> Iterator[tuple[str, str]]:
    """Yield the full key and the text of every value; lists are values."""
    for key, value in tree.items():
        full = f"{where}.{key}" if where else str(key)
        if isinstance(value, Mapping) and value:
            yield from _leaves(value, full)
        else:
            yield full, _text(value)


def _text(value: Any) -> str:
    if isinstance(value, bool) or value is None:
        return {True: "true", False: "false", None: "null"}[value]
    if isinstance(value, float) and value.is_integer() and abs(value) < 1e15:
        return str(int(value))
    return str(value)
