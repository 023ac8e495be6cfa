"""Builds the parts of a run from its configuration."""

from __future__ import annotations

from dataclasses import dataclass

from worldmodels.agents import build_agent
from worldmodels.agents.api import Agent
from worldmodels.core.seeding import Streams
from worldmodels.envs import VectorEnv
from worldmodels.models import build_model
from worldmodels.models.api import WorldModel
from worldmodels.runtime.config import RunConfig
from worldmodels.runtime.environment import checked_spaces


@dataclass(frozen=True)
class Parts:
    """What learns in a run: everything else is built around it."""

    config: RunConfig
    streams: Streams
    model: WorldModel
    agent: Agent


def build_parts(config: RunConfig, env: VectorEnv) -> Parts:
    """A fresh model and agent that fit the environment's spaces."""
    shape, num_actions = checked_spaces(config.env.game, env)
    streams = Streams(config.seed)
    model = build_model(config.model, shape, num_actions, streams.key("model"))
    agent = build_agent(config.agent, model.spec, streams.key("agent"))
    return Parts(config, streams, model, agent)
