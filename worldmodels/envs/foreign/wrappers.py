"""Gymnasium's own wrappers around one copy of a foreign environment, as its configuration lists them."""

from __future__ import annotations

from functools import partial
from typing import Any, TypeAlias

import gymnasium
from gymnasium.spaces import Box
from gymnasium.wrappers import (
    AddRenderObservation,
    ClipReward,
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
        _check_box(env, config)
        env = MaxAndSkipObservation(env, config.action_repeat)
    elif config.action_repeat > 1:
        env = RepeatAction(env, config.action_repeat)
    if config.reward_scale != 1.0:
        env = TransformReward(env, partial(_product, config.reward_scale))
    if config.reward_clip:
        env = ClipReward(env, -config.reward_clip, config.reward_clip)
    if config.time_limit:
        env = TimeLimit(env, config.time_limit)
    return _with_pixels(env, config) if config.pixels != "none" else env


def _with_pixels(env: Env, config: EnvConfig) -> Env:
    """Return an environment that draws itself once after each step, however often that repeats an action."""
    if env.render_mode != "rgb_array":
        raise UserError(
            f"env.pixels are pictures of an environment that draws itself: '{config.game}' must be made with "
            f"render_mode='rgb_array', and has {env.render_mode!r}."
        )
    env.reset(seed=0)  # the wrapper draws at once, and where Gymnasium's robots stand then is where their camera looks
    return AddRenderObservation(env, render_only=config.pixels == "only", render_key="image")


def _check_box(env: Env, config: EnvConfig) -> None:
    if not isinstance(env.observation_space, Box):
        raise UserError(
            f"env.frame_max is for a Box of observations; '{config.game}' has {space_text(env.observation_space)}."
        )


def _product(scale: float, reward: Any) -> Any:
    return scale * reward
