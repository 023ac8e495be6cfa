"""A world model becomes a Gymnasium vector environment, in which agents of any library can learn."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
from gymnasium.error import ResetNeeded
from gymnasium.spaces import Box
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space

from worldmodels.core.errors import UserError, unknown
from worldmodels.envs.spaces import action_space, checked_actions
from worldmodels.imagination.replay_starts import StartWindows
from worldmodels.imagination.worlds import ImaginedStep, ImaginedWorlds, Observe
from worldmodels.models.api import ModelSpec, WorldModel

Array = npt.NDArray[Any]
Flags = npt.NDArray[np.bool_]


class ImaginedVectorEnv(VectorEnv[Array, Array, Array]):
    """A vector environment of N episodes that a world model imagines, each from another recorded step.

    An episode is truncated after `horizon` steps. It terminates by a draw with the model's probability, so that
    expected returns equal rewards weighted by those probabilities. At temperature 0 it terminates if the end is more
    probable than not.

    Args:
        model: is not changed.
        starts: see `StartWindows`; `ReplayStarts` draws them from a replay store.
        num_envs: N, 1 or more.
        horizon: steps of an episode, 1 or more.
        temperature: of the model's randomness, the ends of episodes included: 1 as learned, 0 the most probable future.
        observe: "frames", the model's images, uint8 (H, W, C); "vectors", all vectors that it predicts, joined, float32
            (D,); or "features", the input of our own agents: float32 vectors or uint8 image stacks, of `model.spec`.
        autoreset_mode: as Gymnasium defines them, all three; see `GameVectorEnv`.
        render_mode: None or "rgb_array", the model's images.

    `info["continuation"]`, float32 (N,), is the model's probability that the episode goes on.
    """

    def __init__(
        self,
        model: WorldModel,
        starts: StartWindows,
        num_envs: int = 16,
        horizon: int = 50,
        temperature: float = 1.0,
        observe: Observe = "frames",
        autoreset_mode: AutoresetMode | str = AutoresetMode.NEXT_STEP,
        render_mode: str | None = None,
    ) -> None:
        modes = {mode.value: mode for mode in AutoresetMode}
        mode = str(getattr(autoreset_mode, "value", autoreset_mode))
        for kind, value, allowed in (
            ("autoreset mode", mode, list(modes)),
            ("render mode", render_mode or "rgb_array", ["rgb_array"]),
            ("kind of observation", observe, _offered(model.spec)),
        ):
            if value not in allowed:
                raise UserError(unknown(kind, str(value), allowed))
        if num_envs < 1 or horizon < 1 or temperature < 0:
            raise UserError(
                "num_envs and horizon are 1 or more, temperature 0 or more; "
                f"received {num_envs}, {horizon} and {temperature}."
            )
        self._worlds = ImaginedWorlds(model, starts, num_envs, temperature, observe)
        self.autoreset_mode, self._horizon = modes[mode], horizon
        self._steps = np.zeros(num_envs, np.int64)
        self._over: Flags | None = None  # None before the first reset
        self.num_envs = num_envs
        self.render_mode = render_mode
        self.metadata = {"autoreset_mode": self.autoreset_mode, "render_modes": ["rgb_array"], "render_fps": 15}
        self.single_observation_space = _observation_space(model.spec, observe)
        self._action = model.spec.action
        self.single_action_space = action_space(self._action)
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.action_space = batch_space(self.single_action_space, num_envs)

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Array, dict[str, Any]]:
        """Begin new episodes everywhere, or where `options["reset_mask"]` (bool (N,)) is true.

        The same seed gives the same episodes under the same actions.
        """
        super().reset(seed=seed)
        mask = self._reset_mask(dict(options or {}))
        if seed is not None or self._over is None:
            self._worlds.seed(int(self.np_random.integers(2**31)) if seed is None else seed)
        if self._over is None:
            mask = np.ones(self.num_envs, bool)
            self._observation = np.zeros(self.observation_space.shape or (), self.observation_space.dtype)
            self._continuation = np.ones(self.num_envs, np.float32)
            self._over = mask
        self._begin(mask)
        return self._observation, {"continuation": self._continuation}

    def step(self, actions: npt.ArrayLike) -> tuple[Array, npt.NDArray[np.float32], Flags, Flags, dict[str, Any]]:
        """Take a step; return observations, rewards float32 (N,), terminated bool (N,), truncated bool (N,), info."""
        checked = checked_actions(actions, self.num_envs, self._action)
        begins = self._begins()
        step = self._worlds.step(checked)
        self._observation, self._continuation = step.observation, step.continuation
        self._steps += 1
        terminated = step.ended & ~begins
        truncated = (self._steps >= self._horizon) & ~terminated & ~begins
        reward = np.where(begins, np.float32(0), step.reward)
        self._over = terminated | truncated
        self._begin(begins)
        info: dict[str, Any] = {}
        if self.autoreset_mode == AutoresetMode.SAME_STEP and self._over.any():
            info = self._final(step)
            self._begin(self._over)
        return self._observation, reward, terminated, truncated, info | {"continuation": self._continuation}

    def render(self) -> tuple[Array, ...] | None:
        """Return the model's image of each world, uint8 (H, W, C); the worlds stay as they are."""
        if self.render_mode is None:
            return None
        self._require_reset()
        return tuple(self._worlds.frames())

    def _begin(self, mask: Flags) -> None:
        """Begin new episodes where `mask` holds."""
        if mask.any() and self._over is not None:
            # Fresh arrays throughout: the old ones are the caller's by now.
            rows = mask.reshape(-1, *(1,) * (self._observation.ndim - 1))
            self._observation = np.where(rows, self._worlds.begin(mask), self._observation)
            self._continuation = np.where(mask, np.float32(1), self._continuation)
            self._steps = np.where(mask, 0, self._steps)
            self._over = self._over & ~mask

    def _begins(self) -> Flags:
        """Return where this step begins an episode rather than continuing one: bool (N,)."""
        over = self._require_reset()
        if self.autoreset_mode == AutoresetMode.DISABLED and over.any():
            raise UserError(
                f"Environment {np.flatnonzero(over)[0]}: the episode is over; reset it first, with "
                'reset(options={"reset_mask": ...}).'
            )
        return over

    def _final(self, step: ImaginedStep) -> dict[str, Any]:
        final = {"continuation": step.continuation}
        return {
            "final_obs": step.observation,
            "_final_obs": self._over,
            "final_info": final,
            "_final_info": self._over,
        }

    def _require_reset(self) -> Flags:
        if self._over is None:
            raise ResetNeeded("No episode was begun yet: call reset first.")
        return self._over

    def _reset_mask(self, options: dict[str, Any]) -> Flags:
        mask = np.asarray(options.pop("reset_mask", np.ones(self.num_envs, bool)))
        if options:
            raise UserError(f"reset takes the option 'reset_mask' only; received {', '.join(map(repr, options))}.")
        if mask.dtype != np.bool_ or mask.shape != (self.num_envs,):
            raise UserError(f"A reset mask is bool ({self.num_envs},); received {mask.dtype} {mask.shape}.")
        return mask


def _offered(spec: ModelSpec) -> list[str]:
    """Return the kinds of observations that a model offers."""
    return [*(["frames"] if spec.image is not None else []), *(["vectors"] if spec.vectors else []), "features"]


def _observation_space(spec: ModelSpec, observe: Observe) -> Box:
    parts = dict(spec.observation.parts)
    if observe == "vectors":
        return Box(-np.inf, np.inf, (sum(parts[name].size for name in spec.vectors),), np.float32)
    if observe == "features" and spec.feature_kind == "vector":
        return Box(-np.inf, np.inf, spec.feature_shape, np.float32)
    shape = parts[spec.image].shape if observe == "frames" and spec.image is not None else spec.feature_shape
    return Box(0, 255, shape, np.uint8)
