"""Builds the parts of a run from its configuration."""

from __future__ import annotations

from dataclasses import dataclass

import tensorflow as tf

from worldmodels.agents import build_agent
from worldmodels.agents.api import Agent
from worldmodels.core.errors import ConfigError
from worldmodels.core.seeding import Streams
from worldmodels.envs import VectorEnv, make_vec
from worldmodels.models import build_model
from worldmodels.models.api import WorldModel
from worldmodels.runtime.config import RunConfig


@dataclass(frozen=True)
class Parts:
    """What learns in a run: everything else is built around it."""

    config: RunConfig
    streams: Streams
    model: WorldModel
    agent: Agent


def build_env(config: RunConfig, num_envs: int | None = None) -> VectorEnv:
    """The configured environment as a vector environment; with another number of copies if asked for."""
    return make_vec(config.env, num_envs=num_envs or config.env.num_envs)


def build_parts(config: RunConfig, env: VectorEnv) -> Parts:
    """A fresh model and agent that fit the environment's spaces."""
    shape, num_actions = _checked_spaces(config.env.game, env)
    # Same seed, same bytes: everything random is stateless, and what is parallel must add up in a fixed order.
    tf.config.experimental.enable_op_determinism()
    streams = Streams(config.seed)
    model = build_model(config.model, shape, num_actions, streams.key("model"))
    agent = build_agent(config.agent, model.spec, streams.key("agent"))
    return Parts(config, streams, model, agent)


def _checked_spaces(name: str, env: VectorEnv) -> tuple[tuple[int, int, int], int]:
    """The shape of observations and the number of actions."""
    observations, actions = env.single_observation_space, env.single_action_space
    shape, count = observations.shape or (), getattr(actions, "n", None)
    if len(shape) != 3 or str(observations.dtype) != "uint8" or count is None:
        raise ConfigError(
            f"The environment '{name}' does not fit a world model: observations must be uint8 images of shape "
            f"(height, width, channels) and actions must be Discrete. Received {observations} and {actions}."
        )
    height, width, channels = shape
    return (height, width, channels), int(count)
