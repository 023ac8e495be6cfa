"""Makes one copy of a foreign environment, with the observations and actions of a run."""

from __future__ import annotations

from typing import Any, cast

import numpy as np
import numpy.typing as npt

from worldmodels.envs import EnvConfig, can_save, make_vec
from worldmodels.envs.foreign.vector_env import ForeignVectorEnv
from worldmodels.recordings.action_recording import Action


class SingleEnv:
    """A foreign environment with the `reset` and `step` of Gymnasium, without the leading axis of copies.

    Attributes:
        can_save: whether `get_state` and `set_state` work.
        why_not_saved: why they do not work, in a clause; "" if they work.
    """

    def __init__(self, config: EnvConfig) -> None:
        self._envs = make_one(config)
        self.observation_spec, self.action_spec = self._envs.observation_spec, self._envs.action_spec
        self.can_save = can_save(self._envs)
        self.why_not_saved = self._envs.why_not_saved

    def reset(self, *, seed: int | None = None) -> tuple[Any, dict[str, Any]]:
        """Begin an episode, and return its first observation."""
        observations, _ = self._envs.reset(seed=seed)
        return self._row(observations), {}

    def step(self, action: Action) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        """Take one step, as in Gymnasium."""
        actions = np.array([action], self.action_spec.dtype)
        observations, rewards, terminated, truncated, _ = self._envs.step(actions)
        return self._row(observations), float(rewards[0]), bool(terminated[0]), bool(truncated[0]), {}

    def picture(self) -> npt.NDArray[np.uint8] | None:
        """Return the picture of the render mode "rgb_array", uint8 (H, W, 3) of any size, or None."""
        (picture,) = self._envs.render() or (None,)
        if not isinstance(picture, np.ndarray) or picture.dtype != np.uint8:
            return None
        return picture if picture.ndim == 3 and picture.shape[-1] == 3 else None

    def action_names(self) -> list[str]:
        """Return the name of each choice, or of each number of a box."""
        return self._envs.action_meanings()

    def get_state(self) -> bytes:
        """Return the exact state; raises `UserError` if it cannot be saved."""
        return self._envs.get_state()[0]

    def set_state(self, state: bytes) -> None:
        """Restore a state that `get_state` returned."""
        self._envs.set_state([state])

    def close(self) -> None:
        """Close the environment."""
        self._envs.close()

    def _row(self, observations: Any) -> Any:
        arrays = self.observation_spec.arrays(observations)
        return self.observation_spec.pack({name: array[0] for name, array in arrays.items()})


def make_one(config: EnvConfig, render_mode: str | None = None) -> ForeignVectorEnv:
    """Make a vector environment of one foreign environment; raises `UserError` as `make_vec` does."""
    return cast(ForeignVectorEnv, make_vec(config, num_envs=1, render_mode=render_mode))
