"""The environment of a run, made from its configuration."""

from __future__ import annotations

from worldmodels.config.run_config import RunConfig
from worldmodels.envs import VectorEnv, make_vec
from worldmodels.models.api import ModelSpec


def build_env(config: RunConfig, num_envs: int | None = None, render_mode: str | None = None) -> VectorEnv:
    """Make the configured environment as a vector environment.

    Args:
        num_envs: copies, rounded up to whole mixtures of games; by default as many as the configuration says.
    """
    if num_envs is None:
        return make_vec(config.env, render_mode=render_mode)
    games = len(config.env.games)
    return make_vec(config.env, render_mode=render_mode, num_envs=-(-num_envs // games) * games)


def model_spec(config: RunConfig) -> ModelSpec:
    """Return the spec of a run's model, from its configuration and a copy of its environment; needs no TensorFlow."""
    env = build_env(config, num_envs=1)
    try:
        return config.model.spec(env.observation_spec, env.action_spec)
    finally:
        env.close()
