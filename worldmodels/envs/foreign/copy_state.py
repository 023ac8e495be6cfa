"""Tables say how environments and wrappers of other packages are saved, by the names of their classes.

A class that stands in no table is asked for methods `get_state()` and `set_state(state)` of its own. Nothing of what
follows from a constructor's arguments is saved, since a state is loaded into a copy that was made in the same way.

The state of one copy of a foreign environment: of all its wrappers, of itself, and of its random generator.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from operator import attrgetter
from typing import Any, NamedTuple, TypeAlias

import gymnasium

from worldmodels.core.errors import UserError
from worldmodels.envs.foreign.atari import can_save_atari, load_atari, save_atari
from worldmodels.envs.foreign.mujoco_states import load_mujoco, load_suite, save_mujoco, save_suite, suite_is_known
from worldmodels.envs.foreign.state_values import tree_value, value_tree

Tree: TypeAlias = dict[str, Any]
"""A tree of saved state, see `core/files/tree.py`."""


class Saver(NamedTuple):
    """The functions that save an environment or a wrapper, without what it wraps, and load it."""

    save: Callable[[Any], Tree]
    load: Callable[[Any, Tree], None]
    can: Callable[[Any], bool] = lambda env: True
    """Whether this one can be saved, of those of its class."""


WRAPPERS: dict[str, tuple[str, ...]] = {
    "worldmodels.envs.foreign.given.Borrowed": (),
    "worldmodels.envs.foreign.wrappers.RepeatedAction": ("last_action",),
    "gymnasium.wrappers.common.PassiveEnvChecker": (),
    "gymnasium.wrappers.common.OrderEnforcing": ("_has_reset",),
    "gymnasium.wrappers.common.TimeLimit": ("_elapsed_steps",),
    "gymnasium.wrappers.stateful_action.StickyAction": (
        *("last_action", "is_sticky_actions", "num_repeats", "repeats_taken"),
    ),
    "gymnasium.wrappers.stateful_action.RepeatAction": (),
    # A repeated action that an end cuts short leaves old frames in it.
    "gymnasium.wrappers.stateful_observation.MaxAndSkipObservation": ("_obs_buffer",),
    "gymnasium.wrappers.stateful_observation.FrameStackObservation": ("obs_queue", "padding_value"),
    "gymnasium.wrappers.stateful_observation.DelayObservation": ("observation_queue",),
    "gymnasium.wrappers.stateful_observation.TimeAwareObservation": ("timesteps",),
    "gymnasium.wrappers.stateful_observation.NormalizeObservation": ("obs_rms.mean", "obs_rms.var", "obs_rms.count"),
    "gymnasium.wrappers.stateful_reward.NormalizeReward": (
        *("return_rms.mean", "return_rms.var", "return_rms.count", "discounted_reward"),
    ),
    "gymnasium.wrappers.atari_preprocessing.AtariPreprocessing": ("lives", "game_over", "obs_buffer"),
    **{
        f"gymnasium.wrappers.transform_{kind}.{name}": ()
        for kind, names in {
            "observation": "Transform Filter Flatten Grayscale Resize Reshape Rescale Dtype AddRender Discretize",
            "action": "Transform Clip Rescale Discretize",
            "reward": "Transform Clip",
        }.items()
        for name in (f"{name}{kind.capitalize()}" for name in names.split())
    },
}
"""The attributes that change, by the class of the wrapper; a dot leads to those of another object."""

ENVIRONMENTS: dict[str, tuple[str, ...]] = {
    "gymnasium.envs.classic_control.cartpole.CartPoleEnv": ("state", "steps_beyond_terminated"),
    "gymnasium.envs.classic_control.pendulum.PendulumEnv": ("state", "last_u"),
    "gymnasium.envs.classic_control.acrobot.AcrobotEnv": ("state",),
    "gymnasium.envs.classic_control.mountain_car.MountainCarEnv": ("state",),
    "gymnasium.envs.classic_control.continuous_mountain_car.Continuous_MountainCarEnv": ("state",),
}
"""The attributes that change, by the class of the environment."""

_ATTRIBUTES = WRAPPERS | ENVIRONMENTS

OTHERS: dict[str, Saver] = {
    "ale_py.env.AtariEnv": Saver(save_atari, load_atari, can_save_atari),
    "shimmy.dm_control_compatibility.DmControlCompatibilityV0": Saver(save_suite, load_suite, suite_is_known),
}
"""Environments whose state stands in no attributes."""

MUJOCO = "gymnasium.envs.mujoco."
"""Gymnasium's own robots; a class derived from one elsewhere may hold anything."""

CANNOT = {
    "gymnasium.envs.box2d.": "it is a world of Box2D, which cannot be copied",
    "ale_py.env.": "ALE repeats its actions at random, and does not tell which; env.sticky_actions can be saved",
    "shimmy.": "its task may hold anything besides physics",
}
"""Why a known environment cannot be saved, by the beginning of its class's name."""


def find_saver(env: Any) -> Saver | None:
    """Return the saver of an environment or a wrapper, without its inner environment; None if there is none."""
    name = class_name(env)
    if (names := _ATTRIBUTES.get(name)) is not None:
        return _attributes(names)
    if name in OTHERS:
        return OTHERS[name] if OTHERS[name].can(env) else None
    if name.startswith(MUJOCO):
        return Saver(save_mujoco, load_mujoco)
    own = (getattr(type(env), method, None) for method in ("get_state", "set_state"))
    return Saver(_save_own, _load_own) if all(callable(method) for method in own) else None


def class_name(env: Any) -> str:
    """Return the name of an environment's class with that of its module."""
    return f"{type(env).__module__}.{type(env).__qualname__}"


def _attributes(names: tuple[str, ...]) -> Saver:
    def save(env: Any) -> Tree:
        return {name: value_tree(attrgetter(name)(env)) for name in names}

    def load(env: Any, tree: Tree) -> None:
        for name in names:
            owner, _, attribute = name.rpartition(".")
            setattr(attrgetter(owner)(env) if owner else env, attribute, tree_value(tree[name]))

    return Saver(save, load)


def _save_own(env: Any) -> Tree:
    return {"state": value_tree(env.get_state())}


def _load_own(env: Any, tree: Tree) -> None:
    env.set_state(tree_value(tree["state"]))


def why_not_saved(env: Any) -> str:
    """Return why an environment cannot be saved, in a clause without an end; "" where it can."""
    for layer in reversed(list(layers_of(env))):
        if find_saver(layer) is None:
            known = (why for module, why in CANNOT.items() if class_name(layer).startswith(module))
            return next(known, f"nobody here knows how to save '{type(layer).__name__}'")
    return ""


def save_copy(env: Any) -> dict[str, Any]:
    """Return the state of an environment that can be saved (`why_not_saved`), as a tree (`core/files/tree.py`).

    Raises:
        UserError: its own `get_state` returned what cannot be stored.
    """
    layers = list(layers_of(env))
    return {
        "layers": [class_name(layer) for layer in layers],
        "states": [find_saver(layer).save(layer) for layer in layers],  # type: ignore[union-attr]
        "random": value_tree(_random(layers[-1])),
    }


def load_copy(env: Any, tree: dict[str, Any]) -> None:
    """Take over what `save_copy` gave of an environment that was made in the same way.

    Raises:
        UserError: it was another one.
    """
    layers = list(layers_of(env))
    own = [class_name(layer) for layer in layers]
    if tree["layers"] != own:
        raise UserError(f"A state here is of {_nested(own)}; received one of {_nested(tree['layers'])}.")
    for layer, state in zip(layers, tree["states"], strict=True):
        find_saver(layer).load(layer, state)  # type: ignore[union-attr]
    if tree["random"] is not None:
        layers[-1]._np_random = tree_value(tree["random"])


def layers_of(env: Any) -> Iterator[Any]:
    """Yield the wrappers of an environment, the outermost first, and last the environment itself."""
    while isinstance(env, gymnasium.Wrapper):
        yield env
        env = env.env
    yield env


def _nested(names: list[str]) -> str:
    """Return how Gymnasium prints an environment in its wrappers."""
    return "<".join(name.rpartition(".")[2] for name in names) + ">" * (len(names) - 1)


def _random(env: Any) -> Any:
    """Return an environment's `np_random`, or None if it has none yet: reading the property would make one."""
    return vars(env).get("_np_random")
