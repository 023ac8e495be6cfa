"""Adapters put any Gymnasium environment with discrete actions and images behind the interface of native games."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from importlib import import_module
from typing import Any, NoReturn

import gymnasium
import numpy as np
import numpy.typing as npt
from gymnasium.spaces import Box, Discrete
from gymnasium.vector import AutoresetMode, SyncVectorEnv, VectorEnv
from gymnasium.vector.utils import batch_space
from PIL import Image

from worldmodels.core.errors import UserError

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
    try:
        return ForeignVectorEnv(SyncVectorEnv([lambda: gymnasium.make(id)] * num_envs), id, size)
    except (gymnasium.error.Error, ImportError) as error:
        raise UserError(f"Gymnasium cannot make '{id}': {error}") from error


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


class ForeignVectorEnv(VectorEnv[Images, npt.NDArray[np.int32], npt.NDArray[Any]]):
    """Copies of a foreign environment that behave like a `GameVectorEnv`, except that no state can be saved."""

    def __init__(self, envs: SyncVectorEnv, id: str, size: int) -> None:
        space, actions = envs.single_observation_space, envs.single_action_space
        if not isinstance(actions, Discrete) or actions.start != 0:
            raise UserError(f"'{id}' has the actions {actions}; only Discrete ones that start at 0 are supported.")
        if not isinstance(space, Box) or space.dtype != np.uint8 or len(space.shape) != 3 or space.shape[2] != 3:
            raise UserError(f"'{id}' has the observations {space}; only uint8 images (height, width, 3) are supported.")
        self._envs = envs
        self._id = id
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
        observations, info = self._envs.reset(seed=chosen, options=options)
        return self._resized(observations), info

    def step(
        self, actions: npt.ArrayLike
    ) -> tuple[Images, npt.NDArray[np.float32], npt.NDArray[np.bool_], npt.NDArray[np.bool_], dict[str, Any]]:
        """Return observations, rewards float32 (N,), terminated bool (N,), truncated bool (N,) and info."""
        observations, rewards, terminated, truncated, info = self._envs.step(np.asarray(actions, np.int64))
        return self._resized(observations), rewards.astype(np.float32), terminated, truncated, info

    def get_state(self) -> NoReturn:
        """Raise `UserError`, since foreign environments cannot save their state."""
        raise UserError(f"The state of '{self._id}' cannot be saved: only native games can do that.")

    def set_state(self, states: Sequence[bytes]) -> NoReturn:
        """Raise `UserError`, since foreign environments cannot restore a state."""
        raise UserError(f"The state of '{self._id}' cannot be restored: only native games can do that.")

    def unwrapped_copies(self) -> list[gymnasium.Env[Any, Any]]:
        """Return the environments themselves, without wrappers."""
        return [env.unwrapped for env in self._envs.envs]

    def close_extras(self, **_: Any) -> None:
        """Close the copies."""
        self._envs.close()

    def _resized(self, observations: Images) -> Images:
        if observations.shape[1:3] == (self._size, self._size):
            return observations
        size = (self._size, self._size)
        images = (Image.fromarray(image).resize(size, Image.Resampling.BOX) for image in observations)
        return np.stack([np.asarray(image) for image in images])
