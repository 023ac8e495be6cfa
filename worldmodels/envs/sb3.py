"""An adapter makes a vector environment of this package one of Stable-Baselines3, which must be installed."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
from gymnasium.vector import AutoresetMode
from stable_baselines3.common.vec_env import VecEnv

from worldmodels.core.errors import UserError

Array: TypeAlias = npt.NDArray[Any]
Indices: TypeAlias = int | Iterable[int] | None
"""The numbers of some environments; None: all of them."""


class SB3VecEnv(VecEnv):  # type: ignore[misc,unused-ignore]  # it may be missing here
    """A vector environment in SAME_STEP mode as one of Stable-Baselines3: of native games, or of a world model.

    Observations, rewards and flags are passed on as they are. The last observation of an episode is
    `infos[i]["terminal_observation"]`, and `infos[i]["TimeLimit.truncated"]` is true if it did not end by itself.

    Args:
        env: made with `autoreset_mode="SameStep"`; `GameVectorEnv`, or what `worldmodels.dream` returns.
        seed: of the first reset; others go on from there. `seed()` sets it for the next one.

    Raises:
        UserError: the environment begins its episodes in another mode.
    """

    def __init__(self, env: Any, seed: int | None = None) -> None:
        if env.metadata.get("autoreset_mode") != AutoresetMode.SAME_STEP:
            raise UserError(
                "Stable-Baselines3 begins an episode in the step that ends the one before: the environment must be "
                f"made with autoreset_mode='SameStep'. Received {env.metadata.get('autoreset_mode')}."
            )
        self.env = env
        self._actions: Array | None = None
        super().__init__(env.num_envs, env.single_observation_space, env.single_action_space)
        if seed is not None:
            self.seed(seed)

    def reset(self) -> Array:
        """Begin new episodes everywhere; return the observations."""
        observation, _ = self.env.reset(seed=self._seeds[0])
        self.reset_infos: list[dict[str, Any]] = [{} for _ in range(self.num_envs)]
        self._reset_seeds()
        self._reset_options()
        shown: Array = observation
        return shown

    def step_async(self, actions: Array) -> None:
        self._actions = actions

    def step_wait(self) -> tuple[Array, Array, Array, list[dict[str, Any]]]:
        """Take the step; return observations, rewards, flags of ended episodes and infos."""
        observation, reward, terminated, truncated, info = self.env.step(self._actions)
        infos: list[dict[str, Any]] = [{} for _ in range(self.num_envs)]
        for i in np.flatnonzero(terminated | truncated):
            infos[i] = {"terminal_observation": info["final_obs"][i], "TimeLimit.truncated": bool(truncated[i])}
        return observation, reward, terminated | truncated, infos

    def close(self) -> None:
        self.env.close()

    def get_images(self) -> list[Array | None]:
        """Return what the environments draw; None for each where they do not draw."""
        return list(self.env.render() or [None] * self.num_envs)

    def env_is_wrapped(self, wrapper_class: type[Any], indices: Indices = None) -> list[bool]:
        return [False for _ in self._get_indices(indices)]

    def get_attr(self, attr_name: str, indices: Indices = None) -> list[Any]:
        """Return an attribute of the vector environment, which all its environments share."""
        return [getattr(self.env, attr_name) for _ in self._get_indices(indices)]

    def has_attr(self, attr_name: str) -> bool:
        return hasattr(self.env, attr_name)

    def set_attr(self, attr_name: str, value: Any, indices: Indices = None) -> None:
        raise UserError(f"One native call steps these environments: none has an attribute '{attr_name}' of its own.")

    def env_method(self, method_name: str, *arguments: Any, indices: Indices = None, **named: Any) -> list[Any]:
        raise UserError(f"One native call steps these environments: none has a method '{method_name}' of its own.")
