"""This package offers native games as Gymnasium environments, and foreign environments behind the same interface."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from worldmodels.envs.config import EnvConfig

if TYPE_CHECKING:
    from worldmodels.envs.games.game_env import GameEnv
    from worldmodels.envs.games.table import GAMES
    from worldmodels.envs.games.vector_env import GameVectorEnv
    from worldmodels.envs.making import VectorEnv, can_save, make, make_vec, tells_variables

__all__ = [
    "GAMES",
    "EnvConfig",
    "GameEnv",
    "GameVectorEnv",
    "VectorEnv",
    "can_save",
    "make",
    "make_vec",
    "tells_variables",
]

# Loaded on first use: Gymnasium and the native module take longer than reading a configuration should.
_HOMES = {
    "GAMES": "games.table",
    "GameEnv": "games.game_env",
    "GameVectorEnv": "games.vector_env",
    "VectorEnv": "making",
    "can_save": "making",
    "tells_variables": "making",
    "make": "making",
    "make_vec": "making",
}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module '{__name__}' has no attribute '{name}'")
    from importlib import import_module

    return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
