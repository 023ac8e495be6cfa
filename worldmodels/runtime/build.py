"""Builds the parts of a run from its configuration."""

from __future__ import annotations

from dataclasses import dataclass
from typing import cast

from worldmodels.agents import build_agent
from worldmodels.agents.api import Agent
from worldmodels.core.errors import ConfigError
from worldmodels.core.seeding import Streams
from worldmodels.envs import VectorEnv
from worldmodels.models import build_model
from worldmodels.models.api import Perception, WorldModel, is_world_model
from worldmodels.runtime.config import RunConfig
from worldmodels.runtime.environment import checked_spaces


@dataclass(frozen=True)
class Parts:
    """What learns in a run: everything else is built around it."""

    config: RunConfig
    streams: Streams
    model: Perception
    """A world model, unless the run is one that knows none."""
    agent: Agent

    @property
    def world_model(self) -> WorldModel:
        """The perception where it can also imagine; ConfigError where it cannot."""
        if not is_world_model(self.model):
            raise ConfigError(
                f"The model kind '{self.config.model.kind}' is no world model: it shows the agent the newest frames, "
                "and imagines nothing."
            )
        return cast(WorldModel, self.model)


def build_parts(config: RunConfig, env: VectorEnv) -> Parts:
    """A fresh model and agent that fit the environment's spaces."""
    shape, num_actions = checked_spaces(config.env.game, env)
    streams = Streams(config.seed)
    model = build_model(config.model, shape, num_actions, streams.key("model"))
    agent = build_agent(config.agent, model.spec, streams.key("agent"))
    return Parts(config, streams, model, agent)
