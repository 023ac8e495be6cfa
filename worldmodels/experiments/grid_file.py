"""Reads the file of a grid, a YAML file or a mapping, and checks every key.

Makes the names of variants and of their folders from the keys and values that vary, in safe characters.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from worldmodels.core.configuration.ranges import Section
from worldmodels.core.configuration.sections import from_dict
from worldmodels.core.configuration.values import received, shown
from worldmodels.core.errors import ConfigError, nearest
from worldmodels.core.files.yaml_files import place
from worldmodels.training.launch import DEFAULT_PRESETS

MOST_RUNS = 10_000
"""The most runs of a grid: more are a mistake."""
MOST_NODES = 10_000
"""The most members of a value: more are a mistake or an attack."""


@dataclass(frozen=True)
class GridFile(Section):
    """The keys of a grid's file."""

    config: str | tuple[str, ...] = DEFAULT_PRESETS
    """The preset or file of all runs, or several of them; later ones win."""
    overrides: Mapping[str, Any] = field(default_factory=dict)
    """Values of all runs, by dotted key."""
    vary: Mapping[str, Any] = field(default_factory=dict)
    """Lists of values by dotted key; every combination is a variant. Under `config`: lists of presets."""
    seeds: int | tuple[int, ...] = 1
    """The seeds of each variant; a number N means the seeds 0 to N - 1."""
    by_seed: Mapping[str, Any] = field(default_factory=dict)
    """Lists of values by dotted key, one value for each seed: other levels for each seed, for example."""
    names: Mapping[str, str] = field(default_factory=dict)
    """Short names of the keys in `vary`, for folders."""
    logdir: str = ""
    """The folder of all runs; by default `runs/` and the name of the grid."""

    @property
    def all_seeds(self) -> Sequence[int]:
        """The seeds themselves."""
        return range(self.seeds) if isinstance(self.seeds, int) else self.seeds


def read_grid_file(tree: Mapping[str, Any], where: str) -> GridFile:
    """Return the grid that a mapping describes, in plain Python data.

    Args:
        where: the origin of the mapping, for errors, which name the line if the mapping has lines.

    Raises:
        ConfigError: a key or value cannot be used.
    """
    found = from_dict(GridFile, tree, where)
    return _Reader(tree, where).read(found)


@dataclass(frozen=True)
class _Reader:
    """Checks the rules that the types of the keys do not express."""

    tree: Mapping[str, Any]
    where: str

    def read(self, found: GridFile) -> GridFile:
        overrides = {key: self._plain("overrides", key, value) for key, value in found.overrides.items()}
        vary = {key: self._plain("vary", key, value) for key, value in found.vary.items()}
        if not found.config:
            raise self._error("", "config", "as a list must hold at least one preset or file.")
        by_seed = {key: self._plain("by_seed", key, value) for key, value in found.by_seed.items()}
        for section, keys in (("overrides", overrides), ("vary", vary), ("by_seed", by_seed)):
            self._check_keys(section, keys)
        for key in overrides:
            self._check_override(key, vary)
        for key, values in vary.items():
            self._check_varied(key, values)
        for key, name in found.names.items():
            self._check_name(key, name, vary)
        self._check_seeds(found.seeds)
        if "://" in found.logdir:
            text = "takes a folder of this machine, or one that a cluster shares"
            raise self._error("", "logdir", f"{text}; received the address '{shown(found.logdir)}'.")
        for key, values in by_seed.items():
            self._check_by_seed(key, values, {**overrides, **vary}, len(found.all_seeds))
        return replace(found, overrides=overrides, vary=vary, by_seed=by_seed)

    def _check_keys(self, section: str, keys: Iterable[str]) -> None:
        for key in keys:
            if not re.fullmatch(r"\w+(\.\w+)*", key):
                raise self._error(section, key, f"holds '{shown(key)}', and keys are of the form 'env.game'.")
            if key == "seed":
                raise self._error(section, key, "cannot hold 'seed', for which a grid has 'seeds'.")

    def _check_override(self, key: str, vary: Mapping[str, Any]) -> None:
        if key == "config":
            raise self._error("overrides", key, "cannot hold 'config', which stands beside it.")
        if key in vary:
            raise self._error("overrides", key, f"holds '{key}', and so does 'vary': each key is given once.")

    def _check_varied(self, key: str, values: Any) -> None:
        if key == "config" and "config" in self.tree:
            raise self._error("vary", key, "holds 'config', which is given for all runs too: each key is given once.")
        if not isinstance(values, list):
            hint = ""
            if isinstance(values, Mapping) and values:
                hint = f" Keys are dotted: '{shown(f'{key}.{next(iter(values))}')}'."
            raise self._error("vary", key, f"takes a list of values under '{key}'; received {received(values)}.{hint}")
        if not values:
            raise self._error("vary", key, f"needs at least one value under '{key}', or there is nothing to run.")
        if key == "config":
            for value in values:
                self._check_config(value)

    def _check_config(self, value: Any) -> None:
        names = value if isinstance(value, list) else [value]
        if not names or not all(isinstance(name, str) for name in names):
            text = "takes, under 'config', presets or files, or lists of them"
            raise self._error("vary", "config", f"{text}; received {received(value)} in the list.")

    def _check_name(self, key: str, name: str, vary: Mapping[str, Any]) -> None:
        if key not in vary:
            guess = nearest(key, vary)
            hint = f" Did you mean '{guess}'?" if guess else ""
            raise self._error("names", key, f"names '{shown(key)}', which is no key of 'vary'.{hint}")
        if not re.fullmatch(r"[A-Za-z][A-Za-z0-9_.+-]{0,39}", name):
            rule = "a name begins with a letter, and has up to 40 letters, digits, and signs of '_.+-'"
            raise self._error("names", key, f"cannot be used for '{key}': {rule}; received '{shown(name)}'.")

    def _check_seeds(self, seeds: int | Sequence[int]) -> None:
        if isinstance(seeds, int):
            holds, rule = 1 <= seeds <= MOST_RUNS, f"as a number must be between 1 and {MOST_RUNS}"
        else:
            holds, rule = 0 < len(seeds) == len(set(seeds)), "as a list must hold at least one, and none twice"
        if not holds:
            raise self._error(
                "", "seeds", f"{rule}; received {shown(seeds if isinstance(seeds, int) else list(seeds))}."
            )

    def _check_by_seed(self, key: str, values: Any, others: Iterable[str], seeds: int) -> None:
        if key == "config":
            raise self._error("by_seed", key, "cannot hold 'config': all seeds of a variant have the same one.")
        if key in others:
            raise self._error("by_seed", key, f"holds '{key}', and so does another section: each key is given once.")
        if not isinstance(values, list) or len(values) != seeds:
            rule = f"takes a list of {seeds} values under '{key}', one for each seed"
            raise self._error("by_seed", key, f"{rule}; received {received(values)}.")

    def _plain(self, section: str, key: str, value: Any) -> Any:
        """Return a value as plain Python data that JSON can hold."""
        odd = self._error(section, key, f"takes numbers, texts, lists and sections under '{key}'; received ")
        return _plain(value, odd, iter(range(MOST_NODES)))

    def _error(self, section: str, key: str, problem: str) -> ConfigError:
        """Return the error about a key of a section or of the whole file, with the line."""
        mapping = self.tree.get(section) if section else self.tree
        return ConfigError(f"{place(self.where, mapping or {}, key)}: '{section or key}' {problem}")


def _plain(value: Any, odd: ConfigError, room: Iterator[int]) -> Any:
    """Return a value as plain Python data; raise `odd`, completed, if it has another type or too many members."""
    if next(room, None) is None:
        raise ConfigError(f"{odd}more than {MOST_NODES} of them.")
    if isinstance(value, Mapping):
        return {str(key): _plain(item, odd, room) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(item, odd, room) for item in value]
    if value is None:
        return None
    for kind in (bool, int, str):  # the YAML reader has subclasses of them for notations
        if isinstance(value, kind):
            return kind(value)
    if isinstance(value, float) and math.isfinite(value):
        return float(value)
    raise ConfigError(f"{odd}{received(value)}.")


VALUE_LENGTH = 60
"""A value with a longer text is numbered in names."""


def short_keys(keys: Sequence[str], given: Mapping[str, str]) -> dict[str, str]:
    """Return a name for each dotted key: the given one, or as few of its last parts as are unique."""
    return {key: given.get(key) or _short_key(key, keys) for key in keys}


def value_texts(key: str, values: Sequence[Any]) -> list[str]:
    """Return a text for each of a key's values, all different even where upper and lower case are one.

    The text of a section holds its values, and also its keys if two texts would be equal. If two are still equal, or
    one is long or empty, all values of the key are numbered from 1 on.
    """
    for with_keys in (False, True):
        texts = [_safe(_text(_stems(value) if key == "config" else value, with_keys)) for value in values]
        distinct = {text.casefold() for text in texts}
        if len(distinct) == len(texts) and all(0 < len(text) <= VALUE_LENGTH for text in texts):
            return texts
    return [str(number) for number in range(1, len(values) + 1)]


def folder_name(text: str) -> str:
    """Return the name of a grid in safe characters; a folder of that name is neither hidden nor an option."""
    return re.sub(r"[^A-Za-z0-9_.+-]+", "-", text).lstrip(".-") or "grid"


def _short_key(key: str, keys: Sequence[str]) -> str:
    parts = key.split(".")
    for count in range(1, len(parts)):
        tail = parts[-count:]
        if sum(other.split(".")[-count:] == tail for other in keys) == 1:
            return _safe_key(tail)
    return _safe_key(parts)


def _safe_key(parts: Sequence[str]) -> str:
    return re.sub(r"[^A-Za-z0-9_]+", "-", "-".join(parts))


def _safe(text: str) -> str:
    """Return a text with a hyphen for whatever is no letter, digit, full stop, plus or hyphen; `_` joins such texts."""
    return re.sub(r"[^A-Za-z0-9.+-]+", "-", text)


def _stems(value: Any) -> Any:
    """Return presets and files of a configuration without folders and suffixes."""
    return [Path(str(name)).stem for name in (value if isinstance(value, (list, tuple)) else [value])]


def _text(value: Any, with_keys: bool) -> str:
    if isinstance(value, Mapping):
        parts = value.items() if with_keys else value.values()
        return _text(list(parts), with_keys)
    if isinstance(value, (list, tuple)):
        return "-".join(_text(part, with_keys) for part in value)
    if value is None:
        return "null"
    return str(value).lower() if isinstance(value, bool) else str(value)
