"""Lists the names that the command line and YAML accept."""

from __future__ import annotations

from collections.abc import Iterable


def names_of(what: str) -> Iterable[str]:
    """Return the sorted names of "games", "models", "agents", "configs" or "grids", with those of plugins.

    The name of a preset is followed by its bases, or by the presets that an overlay needs one of.
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

    return map(_with_presets_below, preset_names())


def _with_presets_below(name: str) -> str:
    from worldmodels.core.configuration.presets import read_source

    source = read_source(name)
    words = {"on": source.base, "over one of": source.over}
    below = [f"{how} {', '.join(path.stem for path in paths)}" for how, paths in words.items() if paths]
    return f"{name:28}{below[0]}" if below else name


def _grids() -> Iterable[str]:
    from worldmodels.core.configuration.presets import grid_names

    return grid_names()


_TABLES = {"games": _games, "models": _models, "agents": _agents, "configs": _configs, "grids": _grids}
