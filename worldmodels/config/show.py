"""Prints a configuration with its documentation, or the differences of two, without TensorFlow.

Lists the names that the command line and YAML accept.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
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


def names_of(what: str) -> Iterable[str]:
    """Return the sorted names of "games", "models", "agents", "configs" or "grids", with those of plugins.

    The name of a preset is followed by its first comment, and the presets on or over which it stands.
    """
    return sorted(_TABLES[what]())


def _games() -> Iterable[str]:
    from worldmodels.envs import GAMES

    return GAMES


def _models() -> Iterable[str]:
    from worldmodels.models import MODELS

    MODELS.load_plugins()
    return MODELS


def _agents() -> Iterable[str]:
    from worldmodels.agents import AGENTS

    AGENTS.load_plugins()
    return AGENTS


def _configs() -> Iterable[str]:
    from worldmodels.core.configuration.presets import preset_names

    return map(_with_description, preset_names())


def _with_description(name: str) -> str:
    from worldmodels.core.configuration.presets import read_source

    source = read_source(name)
    words = {"on": source.base, "over one of": source.over}
    below = [f"{how} {', '.join(path.stem for path in paths)}" for how, paths in words.items() if paths]
    about = source.path.read_text(encoding="utf-8").partition("\n")[0].removeprefix("#").strip()
    return f"{name:28}{about}" + (f" ({below[0]})" if below else "")


def _grids() -> Iterable[str]:
    from worldmodels.core.configuration.presets import grid_names

    return grid_names()


_TABLES = {"games": _games, "models": _models, "agents": _agents, "configs": _configs, "grids": _grids}
