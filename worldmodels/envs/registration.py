"""Gymnasium is told about the games here; `import worldmodels` does it."""

from __future__ import annotations

from gymnasium.envs import registration

from worldmodels.envs.games import GAME_INFO


def register() -> None:
    """Register `worldmodels/<Title>-v0` for every native game; calling it again changes nothing."""
    for info in GAME_INFO.values():
        if info.id not in registration.registry:
            registration.register(
                info.id,
                entry_point="worldmodels.envs.game_env:GameEnv",
                vector_entry_point="worldmodels.envs.vector_env:GameVectorEnv",
                kwargs={"name": info.name},
            )
