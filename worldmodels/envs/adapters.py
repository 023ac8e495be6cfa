"""Adapters put any Gymnasium environment behind the interface of native games."""

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
from gymnasium.vector import AutoresetMode, SyncVectorEnv, VectorEnv
from gymnasium.vector.utils import batch_space
from PIL import Image

from worldmodels.core.errors import ForeignEnvError, UserError
from worldmodels.envs.actions import checked_actions
from worldmodels.envs.foreign_guard import ForeignGuard, described
from worldmodels.envs.spaces import action_space, action_spec, observation_space, observation_spec, resized_spec


def make_foreign_vec(id: str, num_envs: int, size: int) -> ForeignVectorEnv:
    """Make N copies of a Gymnasium environment in NEXT_STEP mode.

    Images are resized to uint8 (N, size, size, channels), vectors flattened to float32 (N, D), and the actions of a Box
    are numbers from -1 to 1.

    An id "module:Name-v0" imports the module first, which registers the environment.

    Raises:
        UserError: the module cannot be imported, there is no such environment, or nobody here can have its spaces (see
            `spaces.py`).
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


class ForeignVectorEnv(VectorEnv[Any, npt.NDArray[Any], npt.NDArray[Any]]):
    """Copies of a foreign environment that behave like a `GameVectorEnv`, except that no state can be saved.

    What it shows and takes stands in `observation_spec` and `action_spec`. A Box of actions is scaled to the bounds of
    the environment, and what lies outside of [-1, 1] is clipped.

    What fails in one of them, or breaks Gymnasium's rules, is a `ForeignEnvError`: see `ForeignGuard`, which each is.
    """

    def __init__(self, envs: SyncVectorEnv, id: str, size: int) -> None:
        self.observation_spec = resized_spec(observation_spec(envs.single_observation_space, id), size)
        self.action_spec = action_spec(envs.single_action_space, id)
        self._envs, self._copies = envs, cast(list[ForeignGuard], list(envs.envs))
        self._id, self._size = id, size
        self._seed: int | None = None
        self.num_envs = envs.num_envs
        self.render_mode = None
        self.metadata = {"autoreset_mode": AutoresetMode.NEXT_STEP, "render_modes": []}
        self.single_observation_space = observation_space(self.observation_spec)
        self.single_action_space = action_space(self.action_spec)
        self.observation_space = batch_space(self.single_observation_space, self.num_envs)
        self.action_space = batch_space(self.single_action_space, self.num_envs)

    def seed(self, seed: int) -> None:
        """Set the seed of the next `reset()` that is given none."""
        self._seed = seed

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Any, dict[str, Any]]:
        """Begin new episodes everywhere."""
        chosen, self._seed = (self._seed if seed is None else seed), None
        try:
            observations, info = self._envs.reset(seed=chosen, options=options)
        except BaseException as error:
            self._explain(error)
        return self._converted(observations), info

    def step(
        self, actions: npt.ArrayLike
    ) -> tuple[Any, npt.NDArray[np.float32], npt.NDArray[np.bool_], npt.NDArray[np.bool_], dict[str, Any]]:
        """Return observations, rewards float32 (N,), terminated bool (N,), truncated bool (N,) and info."""
        checked = self._native_actions(checked_actions(actions, self.num_envs, self.action_spec))
        try:
            observations, rewards, terminated, truncated, info = self._envs.step(checked)
        except BaseException as error:
            self._explain(error)
        return self._converted(observations), rewards.astype(np.float32), terminated, truncated, info

    def get_state(self) -> NoReturn:
        """Raise `UserError`, since foreign environments cannot save their state."""
        raise UserError(f"The state of '{self._id}' cannot be saved: only native games can do that.")

    def set_state(self, states: Sequence[bytes]) -> NoReturn:
        """Raise `UserError`, since foreign environments cannot restore a state."""
        raise UserError(f"The state of '{self._id}' cannot be restored: only native games can do that.")

    def action_meanings(self) -> list[str]:
        """Return the environment's own names of its actions, or their numbers where it gives none."""
        names = self._copies[0].action_meanings()
        count = self.action_spec.width
        if names is None:
            return [f"action {index}" for index in range(count)]
        if len(names) != count:
            raise ForeignEnvError(f"'{self._id}' has {count} actions and names {len(names)}: {', '.join(names)}.")
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

    def _native_actions(self, actions: npt.NDArray[Any]) -> npt.NDArray[Any]:
        """Return actions as the environment takes them: of a box, scaled from [-1, 1] to its bounds and shape."""
        spec, space = self.action_spec, self._envs.single_action_space
        if spec.is_discrete:
            return actions.astype(np.int64)
        low, high = np.array(spec.low), np.array(spec.high)
        scaled = low + (np.clip(actions, -1.0, 1.0) + 1.0) / 2.0 * (high - low)
        native: npt.NDArray[Any] = np.clip(scaled, low, high).astype(space.dtype)
        return native.reshape(self.num_envs, *(space.shape or ()))

    def _converted(self, observations: Any) -> Any:
        arrays = self.observation_spec.arrays(observations)
        return self.observation_spec.pack({name: self._part(array) for name, array in arrays.items()})

    def _part(self, array: npt.NDArray[Any]) -> npt.NDArray[Any]:
        if array.dtype != np.uint8 or array.ndim != 4:
            return array.reshape(self.num_envs, -1).astype(np.float32)
        if array.shape[1:3] == (self._size, self._size):
            return array
        return np.stack([resized(image, self._size) for image in array])


def resized(image: npt.NDArray[np.uint8], size: int) -> npt.NDArray[np.uint8]:
    """Return an image (H, W, C) with sides of `size` pixels, each of which is the mean of what it covers."""
    # Pillow takes one channel or three.
    pieces = [image] if image.shape[2] == 3 else np.moveaxis(image, 2, 0)
    done = [np.asarray(Image.fromarray(piece).resize((size, size), Image.Resampling.BOX)) for piece in pieces]
    return done[0] if image.shape[2] == 3 else np.stack(done, -1)
