"""The states of physics in MuJoCo: Gymnasium's robots, and DeepMind's Control Suite behind Shimmy's bridge.

A state holds MuJoCo's integration state (`mjSTATE_INTEGRATION`: time, positions, velocities, controls, the solver's
warm start) and the numbers derived from it. Environments read derived numbers of the step before, such as the places of
bodies. Computing them again would change observations and rewards.
"""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from worldmodels.core.errors import UserError
from worldmodels.envs.foreign.state_values import tree_value, value_tree

Arrays: TypeAlias = "dict[str, npt.NDArray[Any]]"

CONSTRAINTS = ("efc_", "iefc_", "ifrc_", "iacc", "efm_")
"""Prefix of the names of arrays with one entry for each contact; each step computes them again."""

SCENERY = (
    *("body_pos", "body_quat", "geom_pos", "geom_size", "geom_rgba", "site_pos", "site_size", "site_rgba"),
    *("light_pos", "mat_rgba", "dof_damping", "wrap_prm"),
)
"""Tasks of the Control Suite change these in a model when an episode begins, the place of a target for example."""

SUITE = (
    *("acrobot", "ball_in_cup", "cartpole", "cheetah", "dog", "finger", "fish", "hopper", "humanoid", "humanoid_CMU"),
    *("manipulator", "pendulum", "point_mass", "quadruped", "reacher", "stacker", "swimmer", "walker"),
)
"""The domains whose tasks change nothing else. The exception is the quadruped's `Escape`, with its random terrain."""


def save_mujoco(env: Any) -> dict[str, Any]:
    """Return the state of one of Gymnasium's robots, a `MujocoEnv`."""
    return _save_physics(env.model, env.data)


def load_mujoco(env: Any, tree: dict[str, Any]) -> None:
    """Take over what `save_mujoco` gave. Raises `UserError` where it is of another robot."""
    _load_physics(env.model, env.data, tree)


def suite_is_known(env: Any) -> bool:
    """Return whether the task behind Shimmy's bridge is of the Control Suite, and of a domain that can be saved."""
    suite = env._env
    if type(suite).__module__ != "dm_control.rl.control" or type(suite.task).__name__ == "Escape":
        return False
    return type(suite.task).__module__ in {f"dm_control.suite.{domain}" for domain in SUITE}


def save_suite(env: Any) -> dict[str, Any]:
    """Return the state of a task of the Control Suite, with its own random generator."""
    suite = env._env
    model, data = suite.physics.model.ptr, suite.physics.data.ptr
    return {
        "physics": _save_physics(model, data),
        "scenery": {name: getattr(model, name).copy() for name in SCENERY},
        "task": {name: value_tree(value) for name, value in vars(suite.task).items()},
        "steps": suite._step_count,
        "ended": suite._reset_next_step,
    }


def load_suite(env: Any, tree: dict[str, Any]) -> None:
    """Take over what `save_suite` gave. Raises `UserError` where it is of another task."""
    suite = env._env
    model, data = suite.physics.model.ptr, suite.physics.data.ptr
    _write(model, tree["scenery"])
    _load_physics(model, data, tree["physics"])
    for name, value in tree["task"].items():
        setattr(suite.task, name, tree_value(value))
    suite._step_count, suite._reset_next_step = tree["steps"], tree["ended"]


def _save_physics(model: Any, data: Any) -> dict[str, Any]:
    import mujoco

    kind = mujoco.mjtState.mjSTATE_INTEGRATION
    integrated = np.empty(mujoco.mj_stateSize(model, kind))
    mujoco.mj_getState(model, data, integrated, kind)
    return {"integrated": integrated, "derived": {name: array.copy() for name, array in _derived(data).items()}}


def _load_physics(model: Any, data: Any, tree: dict[str, Any]) -> None:
    import mujoco

    kind, integrated = mujoco.mjtState.mjSTATE_INTEGRATION, tree["integrated"]
    if integrated.shape != (mujoco.mj_stateSize(model, kind),):
        raise UserError(f"It has {mujoco.mj_stateSize(model, kind)} numbers of physics; received {integrated.shape}.")
    mujoco.mj_setState(model, data, integrated, kind)
    mujoco.mj_forward(model, data)  # what touches what
    _write(data, tree["derived"])


def _derived(data: Any) -> Arrays:
    """Return the arrays of floats that are of one size at all times."""
    names = (name for name in dir(type(data)) if not name.startswith(("_", *CONSTRAINTS)))
    arrays = {name: getattr(data, name) for name in names}
    return {
        name: array
        for name, array in arrays.items()
        if isinstance(array, np.ndarray) and array.dtype.kind == "f" and array.size
    }


def _write(owner: Any, arrays: Arrays) -> None:
    for name, array in arrays.items():
        own = getattr(owner, name)
        if own.shape != array.shape:
            raise UserError(f"It has the array '{name}' {own.shape}; received {array.shape}.")
        own[...] = array
