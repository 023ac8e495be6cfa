"""Agents: policies and how they improve."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from worldmodels.agents.actor_critic_config import ActorCriticConfig
from worldmodels.agents.ppo_config import PPOConfig
from worldmodels.agents.random_config import RandomConfig
from worldmodels.core.errors import ConfigError
from worldmodels.core.lookup import unknown

if TYPE_CHECKING:
    import numpy as np

    from worldmodels.agents.api import Agent
    from worldmodels.models.api import ModelSpec

__all__ = ["AGENTS", "build_agent"]

AGENTS: dict[str, tuple[type, str]] = {
    "actor_critic": (ActorCriticConfig, "worldmodels.agents.actor_critic:ActorCritic"),
    "ppo": (PPOConfig, "worldmodels.agents.ppo:PPO"),
    "random": (RandomConfig, "worldmodels.agents.random_agent:RandomAgent"),
}
"""Every kind of agent: its configuration, and where its class stands (imported when one is built)."""


def build_agent(config: Any, spec: ModelSpec, seed: np.ndarray) -> Agent:
    """A fresh agent.

    Args:
        config: one of the configuration classes in `AGENTS`.
        spec: of the world model whose features the agent will see.
        seed: int32 (2,), for the initial weights.
    """
    if config.kind not in AGENTS:
        raise ConfigError(unknown("agent", config.kind, AGENTS))
    module, name = AGENTS[config.kind][1].split(":")
    return getattr(import_module(module), name)(config, spec, seed)
