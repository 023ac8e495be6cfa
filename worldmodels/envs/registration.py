"""Tells Gymnasium about the games. Gymnasium itself calls `register`, through an entry point of the package."""

from __future__ import annotations

import gymnasium

from worldmodels.envs.games import GAME_INFO


def register() -> None:
    """Registers `worldmodels/<Title>-v0` for every native game; calling it again changes nothing."""
    for info in GAME_INFO.values():
        if info.id not in gymnasium.registry:
            gymnasium.register(
                info.id,
                entry_point="worldmodels.envs.game_env:GameEnv",
                vector_entry_point="worldmodels.envs.vector_env:GameVectorEnv",
                kwargs={"name": info.name},
            )


# `gym.make("worldmodels.envs.registration:worldmodels/Maze-v0")` works without the entry point.
register()
