"""Runs that differ in nothing but their seed are a group; groups are named by what tells them apart."""

from __future__ import annotations

import os
import re
import warnings
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from worldmodels.analysis.load import run_label
from worldmodels.core.errors import ConfigError, UserError
from worldmodels.core.files import read_regular
from worldmodels.core.yaml_text import parse_value

Settings = dict[str, str]
"""The values of a configuration by full key, as texts: {"seed": "3", "env.game": "maze", ...}, in its order."""
_SEED = "seed"
_UNSET = "unset"
_MOST = 10_000
"""A configuration has a few hundred values; a file with more is none of ours."""


class RunGroup(NamedTuple):
    """Runs that are drawn as one line."""

    name: str
    runs: list[Path]


def group_runs(runs: Sequence[Path], each: bool = False, names: Sequence[str] = ()) -> list[RunGroup]:
    """Return the runs by configuration, the seed aside, in the order of each group's first run.

    A run whose configuration cannot be read is a group of its own, with a warning. A group's name is made of the fewest
    keys that tell the groups apart, with their values; where nothing differs it is that of the run's folder.

    Args:
        each: every run is a group of its own, and may be named by its seed.
        names: those of the groups, in their order; by default they are made.

    Raises:
        UserError: `names` are not as many as the groups.
    """
    settings = {run: _settings_or_warning(run) for run in runs}
    groups: dict[object, list[Path]] = {}
    for run, known in settings.items():
        alike = frozenset(_without_seed(known).items()) if known and not each else run
        groups.setdefault(alike, []).append(run)
    _warn_of_copies(groups.values(), settings)
    members = list(groups.values())
    firsts = [settings[group[0]] for group in members]
    own = [_without_seed(known) if known and not each else known for known in firsts]
    made = [RunGroup(name, group) for name, group in zip(group_names(members, own), members, strict=True)]
    if not names:
        return made
    if len(names) != len(made):
        listed = "; ".join(f"{number}. {group.name}" for number, group in enumerate(made, start=1))
        raise UserError(f"A legend has one name for each group, {len(made)} here: {listed}. Received {len(names)}.")
    return [group._replace(name=name) for group, name in zip(made, names, strict=True)]


def read_settings(run: Path) -> Settings:
    """Return the configuration of a run.

    Raises:
        FileNotFoundError: it has none.
        UserError: it cannot be read.
    """
    file = run / "config.yaml"
    try:
        text = read_regular(file).decode()
    except UnicodeDecodeError as error:
        raise ConfigError(f"Configuration file '{file}' is not text in UTF-8 (byte {error.start}).") from error
    tree = parse_value(text, str(file))
    if not isinstance(tree, Mapping) or not tree:
        raise ConfigError(f"{file}: a configuration file holds lines of the form 'key: value', but this one does not.")
    if _is_too_large(tree):
        raise ConfigError(f"{file}: a configuration has at most {_MOST:,} values.")
    return dict(_leaves(tree, ""))


def telling_keys(settings: Sequence[Settings]) -> list[str]:
    """Return the few keys whose values tell all distinct configurations apart, in their order, the seed last.

    One key after the other is taken, each time the one with which most can be told apart: the kind of a section rather
    than what follows from it, one that all configurations have, the first. What later ones made needless is left out.
    """
    keys = list(dict.fromkeys(key for known in settings for key in known))
    differing = [key for key in keys if len({known.get(key) for known in settings}) > 1]

    def told_apart(chosen: Sequence[str]) -> int:
        return len({tuple(known.get(key) for key in chosen) for known in settings})

    def merit(key: str) -> tuple[int, bool, bool]:
        return told_apart([*chosen, key]), key.endswith(".kind"), all(key in known for known in settings)

    chosen: list[str] = []
    while told_apart(chosen) < told_apart(differing):
        chosen.append(max(differing, key=merit))
    for key in list(chosen):
        if told_apart(rest := [other for other in chosen if other != key]) == told_apart(differing):
            chosen = rest
    return sorted(chosen, key=lambda key: (key == _SEED, keys.index(key)))


def group_names(groups: Sequence[Sequence[Path]], settings: Sequence[Settings | None]) -> list[str]:
    """Return a name for each group of runs from its configuration, None where that is not known, or its folder."""
    keys = telling_keys([known for known in settings if known is not None])
    values = [", ".join(f"{key}={known.get(key, _UNSET)}" for key in keys) if known else "" for known in settings]
    names = [told or folder_name(runs) for told, runs in zip(values, groups, strict=True)]
    times, folders = Counter(names), short_paths([runs[0] for runs in groups])
    return [
        name if times[name] == 1 else ", ".join(filter(None, [told, folder]))
        for name, told, folder in zip(names, values, folders, strict=True)
    ]


def folder_name(runs: Sequence[Path]) -> str:
    """Return the name of a run's folder; of several, what their names begin with, or that of the folder around them.

    `maze_seed0` and `maze_seed1` are `maze`, and so are `maze/0` and `maze/1`.
    """
    if len(runs) == 1:
        return run_label(runs[0])
    paths = [Path(os.path.abspath(run)) for run in runs]
    begin = os.path.commonprefix([path.name for path in paths])
    begin = re.sub(r"\d+$|[\W_]+$", "", begin)
    begin = re.sub(r"(^|[\W_]+)(seed|run|s)?$", "", begin)
    return begin or Path(os.path.commonpath([path.parent for path in paths])).name


def short_paths(paths: Sequence[Path]) -> list[str]:
    """Return the last parts of each path, as few as tell all of them apart."""
    parts = [Path(os.path.abspath(path)).parts for path in paths]
    for length in range(1, max(map(len, parts), default=1)):
        names = ["/".join(own[-length:]) for own in parts]
        if len(set(names)) == len(names):
            return names
    return [str(path) for path in paths]


def _settings_or_warning(run: Path) -> Settings | None:
    try:
        return read_settings(run)
    except FileNotFoundError:
        reason = f"'{run / 'config.yaml'}' is missing."
    except UserError as error:
        reason = str(error)
    warnings.warn(f"{reason} The run is drawn as a line of its own.", stacklevel=2)
    return None


def _warn_of_copies(groups: Iterable[Sequence[Path]], settings: Mapping[Path, Settings | None]) -> None:
    """Warn of runs of one group that have one seed: they are no independent runs, and make the interval too narrow."""
    for runs in groups:
        first: dict[str | None, Path] = {}
        for run in runs:
            known = settings[run]
            other = first.setdefault(known.get(_SEED) if known else None, run)
            if other is not run:
                warnings.warn(
                    f"'{other}' and '{run}' have one configuration and one seed, and count as two runs.", stacklevel=2
                )


def _without_seed(settings: Settings) -> Settings:
    return {key: value for key, value in settings.items() if key != _SEED}


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
