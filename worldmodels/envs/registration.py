"""Registers the games and Crafter with Gymnasium; `import worldmodels` calls it."""

from __future__ import annotations

from gymnasium.envs import registration

from worldmodels.envs.games.table import GAME_INFO


def register() -> None:
    """Register `worldmodels/<Title>-v0` for every native game, and Crafter; calling it again changes nothing."""
    for id, reward in (("CrafterReward-v1", True), ("CrafterNoReward-v1", False)):
        if id not in registration.registry:
            registration.register(
                id, entry_point="worldmodels.envs.foreign.crafter:CrafterEnv", kwargs={"reward": reward}
            )
    for info in GAME_INFO.values():
        if info.id not in registration.registry:
            registration.register(
                info.id,
                entry_point="worldmodels.envs.games.game_env:GameEnv",
                vector_entry_point="worldmodels.envs.games.vector_env:GameVectorEnv",
                kwargs={"name": info.name},
            )
