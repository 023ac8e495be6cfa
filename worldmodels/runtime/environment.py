"""The environment of a run, made from its configuration."""

from __future__ import annotations

from worldmodels.core.errors import ConfigError
from worldmodels.envs import VectorEnv, make_vec
from worldmodels.models.api import ModelSpec
from worldmodels.runtime.config import RunConfig


def build_env(config: RunConfig, num_envs: int | None = None) -> VectorEnv:
    """Make the configured environment as a vector environment.

    Args:
        num_envs: copies, rounded up to whole mixtures of games; by default as many as the configuration says.
    """
    if num_envs is None:
        return make_vec(config.env)
    games = len(config.env.games)
    return make_vec(config.env, num_envs=-(-num_envs // games) * games)


def checked_spaces(name: str, env: VectorEnv) -> tuple[tuple[int, int, int], int]:
    """Return the shape of observations (height, width, channels) and the number of actions.

    Raises:
        ConfigError: observations are no images, or actions are not discrete.
    """
    observations, actions = env.single_observation_space, env.single_action_space
    shape, count = observations.shape or (), getattr(actions, "n", None)
    if len(shape) != 3 or str(observations.dtype) != "uint8" or count is None:
        raise ConfigError(
            f"The environment '{name}' does not fit a world model: observations must be uint8 images of shape "
            f"(height, width, channels) and actions must be Discrete. Received {observations} and {actions}."
        )
    height, width, channels = shape
    return (height, width, channels), int(count)


def model_spec(config: RunConfig) -> ModelSpec:
    """Return the spec of a run's model, from its configuration and a copy of its environment; needs no TensorFlow."""
    env = build_env(config, num_envs=1)
    try:
        return config.model.spec(*checked_spaces(config.env.game, env))
    finally:
        env.close()
