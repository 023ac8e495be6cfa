"""Groups runs that differ in nothing but their seed, and names each group by the settings that differ."""

from __future__ import annotations

import os
import re
import warnings
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from worldmodels.analysis.runs.folders import Settings, find_runs_by_path, read_settings
from worldmodels.analysis.runs.records import run_label
from worldmodels.core.errors import UserError, unknown

SEED = "seed"
_ALL_USUAL = "all as usual"
_UNSET = "unset"


class RunGroup(NamedTuple):
    """Runs that are drawn as one line."""

    name: str
    runs: list[Path]


def group_runs(
    runs: Sequence[Path], each: bool = False, names: Sequence[str] = (), aside: Sequence[str] = (SEED,)
) -> list[RunGroup]:
    """Return the runs by configuration, some keys aside, in the order of each group's first run.

    A run whose configuration cannot be read is a group of its own, with a warning. A group's name is made of the fewest
    keys that distinguish the groups, with their values. If nothing differs, it is the name of the run's folder.

    Args:
        each: every run is a group of its own, and may be named by its seed.
        names: those of the groups, in their order, or as TEXT:NAME, in any; by default they are made.
        aside: keys in which the runs of a group may differ.

    Raises:
        UserError: `names` are not as many as the groups, or the text of one fits none or several.
    """
    settings = {run: _settings_or_warning(run) for run in runs}
    groups: dict[object, list[Path]] = {}
    for run, known in settings.items():
        alike = frozenset(_without(known, aside).items()) if known and not each else run
        groups.setdefault(alike, []).append(run)
    _warn_of_copies(groups.values(), settings)
    members = list(groups.values())
    firsts = [settings[group[0]] for group in members]
    own = [_without(known, aside) if known and not each else known for known in firsts]
    return _named(map(RunGroup, group_names(members, own), members), names)


def group_by_path(runs: Mapping[Path, Sequence[Path]], names: Sequence[str] = ()) -> list[RunGroup]:
    """Return the runs of each path as a group, whatever their configurations, called by the last parts of the path.

    Raises:
        UserError: `names` are not as many as the paths, or the text of one fits none or several.
    """
    _warn_of_copies(runs.values(), {run: _settings_or_warning(run) for group in runs.values() for run in group})
    return _named(map(RunGroup, short_paths(list(runs)), map(list, runs.values())), names)


def telling_keys(settings: Sequence[Settings]) -> list[str]:
    """Return the few keys whose values tell all distinct configurations apart, in their order, the seed last.

    One key after the other is taken, each time the key that distinguishes most configurations. Among equals the kind of
    a section comes first, then a key that all configurations have, then the first. Keys that later ones made needless
    are left out.
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
    return sorted(chosen, key=lambda key: (key == SEED, keys.index(key)))


def group_names(groups: Sequence[Sequence[Path]], settings: Sequence[Settings | None]) -> list[str]:
    """Return a name for each group of runs from its configuration, None where that is not known, or its folder.

    Where it takes more than two keys to tell all apart, as in an ablation, a name tells what most groups do not have.
    """
    known_ones = [known for known in settings if known is not None]
    keys = telling_keys(known_ones)
    usual = _usual_values(keys, known_ones) if len(keys) > 2 else {}
    values = [_told(keys, known, usual) if known else "" for known in settings]
    names = [told or folder_name(runs) for told, runs in zip(values, groups, strict=True)]
    times, folders = Counter(names), short_paths([runs[0] for runs in groups])
    return [
        name if times[name] == 1 else ", ".join(filter(None, [told, folder]))
        for name, told, folder in zip(names, values, folders, strict=True)
    ]


def _usual_values(keys: Sequence[str], settings: Sequence[Settings]) -> Settings:
    """Return the values that more than half of all configurations have."""
    counts = {key: Counter(known.get(key, _UNSET) for known in settings).most_common(1)[0] for key in keys}
    return {key: value for key, (value, times) in counts.items() if 2 * times > len(settings)}


def _told(keys: Sequence[str], known: Settings, usual: Settings) -> str:
    values = {key: known.get(key, _UNSET) for key in keys}
    unusual = [f"{key}={value}" for key, value in values.items() if usual.get(key) != value]
    return ", ".join(unusual) or (_ALL_USUAL if keys else "")


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


def _named(groups: Iterable[RunGroup], names: Sequence[str]) -> list[RunGroup]:
    """Return the groups, with the given names if there are some: in their order, or each as TEXT:NAME."""
    made = list(groups)
    if not names:
        return made
    if all(":" in name for name in names):
        return _named_by_text(made, names)
    if len(names) != len(made):
        raise UserError(
            f"A legend has one name for each group, {len(made)} here: {_listed(made)}. Received {len(names)}."
        )
    return [group._replace(name=name) for group, name in zip(made, names, strict=True)]


def _named_by_text(made: Sequence[RunGroup], names: Sequence[str]) -> list[RunGroup]:
    """Return the groups in the order of the names; the text of each is in the own name of one group.

    Groups that no text names come after those, and keep their names.
    """
    named: dict[int, str] = {}
    for text, _, name in (given.partition(":") for given in names):
        found = [number for number, group in enumerate(made) if text in group.name]
        if len(found) != 1 or found[0] in named:
            raise UserError(
                f"In a legend TEXT:NAME names the one group whose own name holds the text, and each group once; "
                f"received '{text}:{name}', and the groups are: {_listed(made)}."
            )
        named[found[0]] = name
    rest = [number for number in range(len(made)) if number not in named]
    return [made[number]._replace(name=named.get(number, made[number].name)) for number in [*named, *rest]]


def _listed(groups: Sequence[RunGroup]) -> str:
    return "; ".join(f"{number}. {group.name}" for number, group in enumerate(groups, start=1))


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
    """Warn of equal runs, seed and all, in a group: they are not independent, and make the interval too narrow."""
    for runs in groups:
        first: dict[object, Path] = {}
        for run in runs:
            known = settings[run]
            other = first.setdefault(frozenset(known.items()) if known else run, run)
            if other is not run:
                warnings.warn(
                    f"'{other}' and '{run}' have one configuration and one seed, and count as two runs.", stacklevel=2
                )


def _without(settings: Settings, keys: Sequence[str]) -> Settings:
    return {key: value for key, value in settings.items() if key not in keys}


BY = ("configuration", "path", "run")


class Grouping(NamedTuple):
    """A grouping says which of the runs are drawn, and as which lines."""

    select: Sequence[str] = ()
    """Texts that the path of a run must contain."""
    exclude: Sequence[str] = ()
    """Texts of which it must contain none."""
    by: str = "configuration"
    """The runs of a line have one configuration, but for the seed; or one of the given paths; or each run is a line."""
    names: Sequence[str] = ()
    """Names of the groups in the legend, in their order, or as TEXT:NAME; by default what tells them apart."""


ALL_RUNS = Grouping()


def find_groups(
    paths: Sequence[Path | str], grouping: Grouping = ALL_RUNS, aside: Sequence[str] = (SEED,)
) -> list[RunGroup]:
    """Return the groups of the runs that `paths` stand for; see `find_runs` and `group_runs`.

    Args:
        aside: keys of the configuration in which the runs of a group may differ.
    """
    if grouping.by not in BY:
        raise UserError(unknown("grouping", grouping.by, BY))
    runs = find_runs_by_path(paths, grouping.select, grouping.exclude)
    if grouping.by == "path":
        return group_by_path(runs, grouping.names)
    every = [run for own in runs.values() for run in own]
    return group_runs(every, grouping.by == "run", grouping.names, aside)
