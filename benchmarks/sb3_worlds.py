"""Adapts Gymnasium's vector environments to the vector environments of Stable-Baselines3."""

from __future__ import annotations

from typing import Any

import numpy as np
from stable_baselines3.common.vec_env import VecEnv

SAME_STEP = "SameStep"


class Worlds(VecEnv):
    """Any Gymnasium vector environment in SAME_STEP mode, as Stable-Baselines3 wants it."""

    def __init__(self, env: Any, seed: int):
        self._env, self._seed = env, seed
        super().__init__(env.num_envs, env.single_observation_space, env.single_action_space)

    def reset(self) -> np.ndarray:
        observation, _ = self._env.reset(seed=self._seed)
        return observation

    def step_async(self, actions: np.ndarray) -> None:
        self._actions = actions

    def step_wait(self) -> tuple[np.ndarray, np.ndarray, np.ndarray, list[dict[str, Any]]]:
        observation, reward, terminated, truncated, info = self._env.step(self._actions)
        infos: list[dict[str, Any]] = [{} for _ in range(self.num_envs)]
        for i in np.flatnonzero(terminated | truncated):
            infos[i] = {"terminal_observation": info["final_obs"][i], "TimeLimit.truncated": bool(truncated[i])}
        return observation, reward, terminated | truncated, infos

    def close(self) -> None:
        self._env.close()

    def env_is_wrapped(self, wrapper_class: Any, indices: Any = None) -> list[bool]:
        return [False] * self.num_envs

    def get_attr(self, attr_name: str, indices: Any = None) -> list[Any]:
        return [getattr(self._env, attr_name)] * self.num_envs

    def set_attr(self, attr_name: str, value: Any, indices: Any = None) -> None:
        raise NotImplementedError("These worlds have no attributes to set one by one.")

    def env_method(self, method_name: str, *arguments: Any, indices: Any = None, **named: Any) -> list[Any]:
        raise NotImplementedError("These worlds have no methods to call one by one.")
