"""Prints a configuration with its documentation, or the differences of two, without TensorFlow."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from worldmodels.config.run_config import RunConfig
from worldmodels.core.configuration.presets import read_sources
from worldmodels.core.configuration.sections import differences, load_config, to_dict
from worldmodels.core.configuration.text import documented_yaml
from worldmodels.core.files.run_dir import RunDir
from worldmodels.core.files.yaml_files import to_yaml


def resolved(names: Sequence[str], overrides: Sequence[str] = ()) -> RunConfig:
    """Return the configuration of presets, files and run folders, later ones win, and `a.b=value` overrides.

    Raises:
        ConfigError, RunError: a name, key or value cannot be used; the text names the nearest one that can.
    """
    return load_config(RunConfig, [_file_of(name) for name in names], overrides)


def show_config(names: Sequence[str], overrides: Sequence[str]) -> str:
    """Return the resolved configuration as YAML, every key with its documentation; it can be loaded again.

    The first line names the presets and files that it is made of, each on the one before it.
    """
    sources = [source.name for source in read_sources([_file_of(name) for name in names])]
    made_of = f"# Made of: {', '.join([*sources, *overrides]) or 'defaults'}\n"
    return made_of + documented_yaml(resolved(names, overrides))


def show_difference(one: str, other: str) -> str:
    """Return a line for each key in which two presets, files or run folders differ, with both values."""
    found = differences(to_dict(resolved([one])), to_dict(resolved([other])))
    rows = [("key", one, other)] + [(key, _text(a), _text(b)) for key, a, b in found]
    if len(rows) == 1:
        return f"'{one}' and '{other}' are the same configuration."
    widths = [max(len(row[column]) for row in rows) for column in range(3)]
    return "\n".join("  ".join(map(str.ljust, row, widths)).rstrip() for row in rows)


def _file_of(name: str) -> str | Path:
    """Return the path of the configuration in a run folder; another name as it is."""
    return RunDir.open(name).config if Path(name).is_dir() else name


def _text(value: Any) -> str:
    """Return a value as in YAML; "-" for null, and for a key that a configuration does not have."""
    return "-" if value is None else to_yaml({"": value}).partition(":")[2].strip()
