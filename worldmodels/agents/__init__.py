"""This package holds agents: policies and their update rules."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from worldmodels.agents.config import AgentConfig, RandomConfig
from worldmodels.agents.dreamer.config import ActorCriticConfig, Plan2ExploreConfig
from worldmodels.agents.off_policy.config import DDPGConfig, SACConfig, TD3Config
from worldmodels.agents.on_policy.config import PPOConfig, TRPOConfig, VPGConfig
from worldmodels.core.configuration.kinds import Kinds
from worldmodels.core.errors import ConfigError

if TYPE_CHECKING:
    import numpy as np

    from worldmodels.agents.api import Agent
    from worldmodels.models.api import ModelSpec

__all__ = ["AGENTS", "build_agent", "check_fits", "register_agent"]

AGENTS = Kinds("agent", "worldmodels.agents")
"""Every kind of agent."""


def register_agent(kind: str, config: type, home: str) -> None:
    """Add a kind of agent to `AGENTS`; adding the same again changes nothing.

    Args:
        kind: as in YAML, `agent: {kind: ...}`.
        config: a frozen dataclass that extends `AgentConfig`, best in a module that imports no TensorFlow.
        home: the agent's class, "package.module:Class", called with `config`, the model's `ModelSpec` and a seed; see
            `agents/api.py` for its methods.

    Raises:
        ConfigError: the kind is taken by another class, or `config` is no such dataclass.
    """
    if not issubclass(config, AgentConfig):
        raise ConfigError(
            f"The configuration of the agent '{kind}' must extend worldmodels.agents.config.AgentConfig. Received "
            f"{config!r}."
        )
    AGENTS.register(kind, config, home)


register_agent("actor_critic", ActorCriticConfig, "worldmodels.agents.dreamer.actor_critic:ActorCritic")
register_agent("ddpg", DDPGConfig, "worldmodels.agents.off_policy.ddpg:DDPG")
register_agent("plan2explore", Plan2ExploreConfig, "worldmodels.agents.dreamer.plan2explore:Plan2Explore")
register_agent("ppo", PPOConfig, "worldmodels.agents.on_policy.ppo:PPO")
register_agent("random", RandomConfig, "worldmodels.agents.random_agent:RandomAgent")
register_agent("sac", SACConfig, "worldmodels.agents.off_policy.sac:SAC")
register_agent("td3", TD3Config, "worldmodels.agents.off_policy.td3:TD3")
register_agent("trpo", TRPOConfig, "worldmodels.agents.on_policy.trpo:TRPO")
register_agent("vpg", VPGConfig, "worldmodels.agents.on_policy.vpg:VPG")


def build_agent(config: AgentConfig, spec: ModelSpec, seed: np.ndarray) -> Agent:
    """Return a fresh agent.

    Args:
        config: of one of the classes in `AGENTS`.
        spec: of the model whose features the agent will see.
        seed: int32 (2,), for the initial weights.

    Raises:
        ConfigError: there is no such kind, or the agent cannot have these actions or features.
    """
    if config.kind in AGENTS:
        check_fits(config, spec)
    return cast("Agent", AGENTS.build(config, spec, seed))


def check_fits(config: AgentConfig, spec: ModelSpec) -> None:
    """Check that an agent can have the actions and the features of a model, and learn in it as configured.

    Raises:
        ConfigError: it cannot; the text says which agents can.
    """
    for key, kind, what in (
        ("action_kinds", spec.action.kind, f"choose actions that are {spec.action}"),
        ("feature_kinds", spec.feature_kind, f"see features that are {spec.features}"),
    ):
        if kind not in getattr(config, key):
            able = [name for name, other in AGENTS.items() if kind in getattr(other, key)]
            raise ConfigError(
                f"agent.kind is '{config.kind}', which cannot {what}: its {key.replace('_', ' ')} are "
                f"{', '.join(getattr(config, key))}. Agents that can: {', '.join(able) or 'none'}."
            )
    config.check_spec(spec)
