"""Gymnasium's own wrappers around one copy of a foreign environment, as a configuration asks for them."""

from __future__ import annotations

from functools import partial
from typing import Any, TypeAlias

import gymnasium
import numpy as np
from gymnasium.spaces import Box
from gymnasium.wrappers import (
    ClipReward,
    GrayscaleObservation,
    MaxAndSkipObservation,
    RepeatAction,
    StickyAction,
    TimeLimit,
    TransformReward,
)

from worldmodels.core.errors import UserError
from worldmodels.envs.config import EnvConfig
from worldmodels.envs.spaces import space_text

Env: TypeAlias = gymnasium.Env[Any, Any]


def wrapped(env: Env, config: EnvConfig) -> Env:
    """Return an environment in the wrappers that `config` names, the innermost first.

    Sticky actions are drawn at each of the environment's own steps, also within a repeated action, and from the
    environment's own generator. The rewards of a repeated action are summed, then scaled, then clipped. The time limit
    counts what the agent sees of all that.

    Raises:
        UserError: a wrapper cannot have the space of the observations.
    """
    if config.sticky_actions:
        env = StickyAction(env, config.sticky_actions)
    if config.frame_max:
        _check(env, isinstance(env.observation_space, Box), config, "frame_max", "a Box")
        env = MaxAndSkipObservation(env, config.action_repeat)
    elif config.action_repeat > 1:
        env = RepeatAction(env, config.action_repeat)
    if config.grey:
        _check(env, _is_colour(env.observation_space), config, "grey", "uint8 images in 3 colours, from 0 to 255")
        env = GrayscaleObservation(env, keep_dim=True)
    if config.reward_scale != 1.0:
        env = TransformReward(env, partial(_product, config.reward_scale))
    if config.reward_clip:
        env = ClipReward(env, -config.reward_clip, config.reward_clip)
    return TimeLimit(env, config.time_limit) if config.time_limit else env


def _check(env: Env, fits: bool, config: EnvConfig, key: str, allowed: str) -> None:
    if not fits:
        raise UserError(
            f"'{config.game}' has the observations {space_text(env.observation_space)}, and env.{key} is for {allowed}."
        )


def _is_colour(space: gymnasium.Space[Any]) -> bool:
    if not isinstance(space, Box) or space.dtype != np.uint8 or len(space.shape) != 3 or space.shape[2] != 3:
        return False
    return bool((space.low == 0).all() and (space.high == 255).all())


def _product(scale: float, reward: Any) -> Any:
    return scale * reward
