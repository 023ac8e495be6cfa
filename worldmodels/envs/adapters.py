"""Adapters put any Gymnasium environment with discrete actions and images behind the interface of native games."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from functools import partial
from importlib import import_module
from typing import Any, NoReturn, cast

import gymnasium
import numpy as np
import numpy.typing as npt
from gymnasium.spaces import Box, Discrete
from gymnasium.vector import AutoresetMode, SyncVectorEnv, VectorEnv
from gymnasium.vector.utils import batch_space
from PIL import Image

from worldmodels.core.errors import ForeignEnvError, UserError
from worldmodels.envs.actions import checked_actions
from worldmodels.envs.foreign_guard import ForeignGuard, described

Images = npt.NDArray[np.uint8]


def make_foreign_vec(id: str, num_envs: int, size: int) -> ForeignVectorEnv:
    """Make N copies of a Gymnasium environment in NEXT_STEP mode, observations resized to uint8 (N, size, size, 3).

    An id "module:Name-v0" imports the module first, which registers the environment.

    Raises:
        UserError: the module cannot be imported, there is no such environment, its actions are not discrete, or its
            observations are not uint8 (H, W, 3) images.
    """
    module, colon, _ = id.rpartition(":")
    if colon:
        _import_module(module, id)
    return ForeignVectorEnv(_made_copies(id, num_envs), id, size)


def _made_copies(id: str, num_envs: int) -> SyncVectorEnv:
    try:
        return SyncVectorEnv([partial(_made, id, index) for index in range(num_envs)])
    except (KeyboardInterrupt, UserError):
        raise
    except BaseException as error:
        raise ForeignEnvError(f"The {num_envs} copies of '{id}' do not fit together: {described(error)}.") from error


def _made(id: str, index: int) -> ForeignGuard:
    try:
        return ForeignGuard(gymnasium.make(id), id, index)
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        known = isinstance(error, (gymnasium.error.Error, ImportError))
        raise ForeignEnvError(f"Gymnasium cannot make '{id}': {error if known else described(error)}") from error


def _import_module(module: str, id: str) -> None:
    """Import the module of an environment's id. The current folder is searched too, after everything installed."""
    # The path of an installed command begins with the folder of the command, not with the current one. It stays: the
    # module may import its neighbours later.
    if (folder := os.getcwd()) not in sys.path:
        sys.path.append(folder)
    rule = "An id 'module:Name-v0' begins with a module that Python finds and that registers 'Name-v0' with Gymnasium"
    if not all(part.isidentifier() for part in module.split(".")):
        raise UserError(f"{rule}; received '{id}', and '{module}' is not the name of a module.")
    try:
        import_module(module)
    except (ImportError, SyntaxError) as error:
        raise UserError(
            f"The module '{module}' of the environment '{id}' cannot be imported: {error}. {rule}. "
            f"Python looks in {', '.join(path for path in sys.path if os.path.isdir(path))}."
        ) from error
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        raise ForeignEnvError(
            f"The module '{module}' of the environment '{id}' cannot be imported: {described(error)}."
        ) from error


class ForeignVectorEnv(VectorEnv[Images, npt.NDArray[np.int32], npt.NDArray[Any]]):
    """Copies of a foreign environment that behave like a `GameVectorEnv`, except that no state can be saved.

    What fails in one of them, or breaks Gymnasium's rules, is a `ForeignEnvError`: see `ForeignGuard`, which each is.
    """

    def __init__(self, envs: SyncVectorEnv, id: str, size: int) -> None:
        space, actions = envs.single_observation_space, envs.single_action_space
        if not isinstance(actions, Discrete) or actions.start != 0:
            raise UserError(f"'{id}' has the actions {actions}; only Discrete ones that start at 0 are supported.")
        if not isinstance(space, Box) or space.dtype != np.uint8 or len(space.shape) != 3 or space.shape[2] != 3:
            raise UserError(f"'{id}' has the observations {space}; only uint8 images (height, width, 3) are supported.")
        self._envs, self._copies = envs, cast(list[ForeignGuard], list(envs.envs))
        self._id = id
        self._num_actions = int(actions.n)
        self._size = size
        self._seed: int | None = None
        self.num_envs = envs.num_envs
        self.render_mode = None
        self.metadata = {"autoreset_mode": AutoresetMode.NEXT_STEP, "render_modes": []}
        self.single_observation_space = Box(0, 255, (size, size, 3), np.uint8)
        self.single_action_space = actions
        self.observation_space = batch_space(self.single_observation_space, self.num_envs)
        self.action_space = batch_space(actions, self.num_envs)

    def seed(self, seed: int) -> None:
        """Set the seed of the next `reset()` that is given none."""
        self._seed = seed

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Images, dict[str, Any]]:
        """Begin new episodes everywhere."""
        chosen, self._seed = (self._seed if seed is None else seed), None
        try:
            observations, info = self._envs.reset(seed=chosen, options=options)
        except BaseException as error:
            self._explain(error)
        return self._resized(observations), info

    def step(
        self, actions: npt.ArrayLike
    ) -> tuple[Images, npt.NDArray[np.float32], npt.NDArray[np.bool_], npt.NDArray[np.bool_], dict[str, Any]]:
        """Return observations, rewards float32 (N,), terminated bool (N,), truncated bool (N,) and info."""
        checked = checked_actions(actions, self.num_envs, self._num_actions).astype(np.int64)
        try:
            observations, rewards, terminated, truncated, info = self._envs.step(checked)
        except BaseException as error:
            self._explain(error)
        return self._resized(observations), rewards.astype(np.float32), terminated, truncated, info

    def get_state(self) -> NoReturn:
        """Raise `UserError`, since foreign environments cannot save their state."""
        raise UserError(f"The state of '{self._id}' cannot be saved: only native games can do that.")

    def set_state(self, states: Sequence[bytes]) -> NoReturn:
        """Raise `UserError`, since foreign environments cannot restore a state."""
        raise UserError(f"The state of '{self._id}' cannot be restored: only native games can do that.")

    def action_meanings(self) -> list[str]:
        """Return the environment's own names of its actions, or their numbers where it gives none."""
        names = self._copies[0].action_meanings()
        if names is None:
            return [f"action {index}" for index in range(self._num_actions)]
        if len(names) != self._num_actions:
            raise ForeignEnvError(
                f"'{self._id}' has {self._num_actions} actions and names {len(names)}: {', '.join(names)}."
            )
        return names

    def close_extras(self, **_: Any) -> None:
        """Close all copies. Raises the first `ForeignEnvError` once it has tried them all."""
        self.closed = True  # at once: what fails to close is not closed again
        failures = []
        for copy in self._copies:
            try:
                copy.close()
            except ForeignEnvError as failure:
                failures.append(failure)
        if failures:
            raise failures[0]

    def _explain(self, error: BaseException) -> NoReturn:
        """Raise an error of the copies again; what is none of a single one comes from putting their infos together."""
        if isinstance(error, (KeyboardInterrupt, UserError)):
            raise error
        raise ForeignEnvError(
            f"What the copies of '{self._id}' return does not fit together: {described(error)}."
        ) from error

    def _resized(self, observations: Images) -> Images:
        if observations.shape[1:3] == (self._size, self._size):
            return observations
        size = (self._size, self._size)
        images = (Image.fromarray(image).resize(size, Image.Resampling.BOX) for image in observations)
        return np.stack([np.asarray(image) for image in images])
