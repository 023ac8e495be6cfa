"""The command line and YAML know these names."""

from __future__ import annotations

from collections.abc import Iterable


def names_of(what: str) -> Iterable[str]:
    """Return the sorted names of "games", "models", "agents", "configs" or "grids", those of plugins among them."""
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
    from worldmodels.core.configuration.sections import preset_names

    return preset_names()


def _grids() -> Iterable[str]:
    from worldmodels.core.configuration.sections import grid_names

    return grid_names()


_TABLES = {"games": _games, "models": _models, "agents": _agents, "configs": _configs, "grids": _grids}
