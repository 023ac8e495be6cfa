"""A Gymnasium environment that is not one of ours, seen as a game of the player."""

from __future__ import annotations

import re
from typing import Any, cast

import numpy as np
import numpy.typing as npt

from worldmodels.core.errors import UserError
from worldmodels.core.specs import ActionSpec, ObservationSpec
from worldmodels.envs import EnvConfig, can_save, make_vec
from worldmodels.envs.foreign_vector_env import ForeignVectorEnv

WORDS = re.compile("UP|DOWN|LEFT|RIGHT|FIRE")
"""The words in the names of actions of Atari's games, and of many others."""


class ForeignGame:
    """A foreign game is one copy of an environment, with the observations that a run learned from.

    Attributes:
        can_save: whether `get_state` and `set_state` work.

    Raises:
        UserError: the environment shows anything but one image, or takes anything but one of a number of actions.
    """

    def __init__(self, config: EnvConfig) -> None:
        self._envs = cast(ForeignVectorEnv, make_vec(config, num_envs=1))
        _check_playable(config.game, self._envs.observation_spec, self._envs.action_spec)
        self.observation_space = self._envs.single_observation_space
        meanings = self._envs.action_meanings()
        self.action_keys = tuple(_buttons(i, meaning) for i, meaning in enumerate(meanings))
        self.action_meanings = tuple(meaning.lower() for meaning in meanings)
        self.title = config.game
        self.can_save = can_save(self._envs)
        why = self._envs.why_not_saved
        self.rules = "A Gymnasium environment." + (f" Nothing can be taken back or repeated: {why}." if why else "")
        self._observation: npt.NDArray[np.uint8]

    def reset(self, *, seed: int | None = None) -> tuple[npt.NDArray[np.uint8], dict[str, Any]]:
        """Begin an episode, and return its first frame."""
        observations, _ = self._envs.reset(seed=seed)
        self._observation = observations[0]
        return self._observation, {}

    def step(self, action: int) -> tuple[npt.NDArray[np.uint8], float, bool, bool, dict[str, Any]]:
        """Take one step, as in Gymnasium."""
        observations, rewards, terminated, truncated, _ = self._envs.step(np.array([action], np.int32))
        self._observation = observations[0]
        return self._observation, float(rewards[0]), bool(terminated[0]), bool(truncated[0]), {}

    def get_state(self) -> bytes:
        """Return the exact state. Raises `UserError` where it cannot be saved."""
        return self._envs.get_state()[0]

    def set_state(self, state: bytes) -> None:
        """Go back to a state that `get_state` gave."""
        self._envs.set_state([state])
        self._observation = self._envs.observe()[0]

    def render(self) -> npt.NDArray[np.uint8]:
        """Return the observation, because a picture that the environment itself draws has any size."""
        return self._observation

    def close(self) -> None:
        """Close the environment."""
        self._envs.close()


def _check_playable(game: str, observation: ObservationSpec, action: ActionSpec) -> None:
    shown = observation.only
    if shown is None or not shown.is_image or shown.shape[-1] not in (1, 3) or not action.is_discrete:
        raise UserError(
            f"'{game}' cannot be played here: the player shows images of 3 colours or of 1, and each key is one of a "
            f"number of actions. Received {observation} and {action}. Its policy can be measured: worldmodels eval."
        )


def _buttons(action: int, meaning: str) -> tuple[str, ...]:
    """Return directions where the name is made of them, no button for doing nothing, else a button of its own."""
    if meaning.upper() in ("NOOP", "NOTHING"):
        return ()
    words = WORDS.findall(meaning.upper())
    return tuple(word.lower() for word in words) if "".join(words) == meaning.upper() else (f"button {action}",)
