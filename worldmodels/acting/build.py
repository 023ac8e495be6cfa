"""Builds the parts of a run from its configuration."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import cast

from worldmodels.agents import build_agent
from worldmodels.agents.api import Agent
from worldmodels.config.run_config import RunConfig
from worldmodels.core.errors import ConfigError
from worldmodels.core.seeding import Streams
from worldmodels.envs import VectorEnv
from worldmodels.models import build_model
from worldmodels.models.api import Representation, WorldModel
from worldmodels.models.devices import building_on, has_gpu
from worldmodels.models.graph import compile_updates, make_deterministic
from worldmodels.models.precision import Precision, building_in


@dataclass(frozen=True)
class Parts:
    """The parts of a run that learn."""

    config: RunConfig
    streams: Streams
    model: Representation
    """A world model, or a representation without predictions in a run without a world model."""
    agent: Agent

    @property
    def world_model(self) -> WorldModel:
        """The model as a world model; raises ConfigError if it is none."""
        if not self.model.spec.imagines:
            raise ConfigError(
                f"The model kind '{self.config.model.kind}' is no world model: it represents observations, and "
                "predicts nothing. Take a run with a world model, such as one of the preset dreamer_small."
            )
        return cast(WorldModel, self.model)


def build_parts(config: RunConfig, env: VectorEnv) -> Parts:
    """Build a new model and agent for the environment's spaces; `auto` is here float32, and no compiler."""
    streams = Streams(config.seed)
    if config.deterministic is not False:
        make_deterministic()
    compile_updates(config.compile == "xla")
    precision: Precision = "bfloat16" if config.precision == "bfloat16" else "float32"
    with building_in(precision), building_on(config.devices):
        model = build_model(config.model, env.observation_spec, env.action_spec, streams.key("model"))
        agent = build_agent(config.agent, model.spec, streams.key("agent"))
    return Parts(config, streams, model, agent)


def resolve_deterministic(config: RunConfig) -> RunConfig:
    """Return the configuration with `deterministic` decided: true on a CPU, false on a GPU."""
    if config.deterministic is not None:
        return config
    return replace(config, deterministic=not has_gpu())
