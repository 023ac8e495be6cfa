"""A Gymnasium environment that is not one of ours, seen as a game of the player."""

from __future__ import annotations

import re
from contextlib import suppress

import gymnasium
import numpy as np
import numpy.typing as npt

from worldmodels.core.errors import UserError
from worldmodels.core.specs import ObservationSpec
from worldmodels.envs import EnvConfig
from worldmodels.runtime.single_env import SingleEnv

WORDS = re.compile("UP|DOWN|LEFT|RIGHT|FIRE")
"""The words in the names of actions of Atari's games, and of many others."""


OPENGL = re.compile("gymnasium.envs.mujoco|shimmy")
"""The modules of environments that draw with OpenGL, whose drivers crash in one process with TensorFlow."""


class ForeignGame(SingleEnv):
    """A foreign game is one copy of an environment, with the observations that a run learned from.

    Attributes:
        action_keys: the buttons of each choice (`session/controls.py`); none for a box of actions.
        action_meanings: the name of each choice, or of each number of a box.

    Raises:
        UserError: the environment shows an image that is neither in colour nor grey.
    """

    def __init__(self, config: EnvConfig) -> None:
        super().__init__(config)
        _check_shown(config.game, self.observation_spec)
        if not self.observation_spec.images and _can_draw(config.game):
            self._draw(config)
        names = self.action_names()
        discrete = self.action_spec.is_discrete
        self.action_keys = tuple(_buttons(i, name) for i, name in enumerate(names)) if discrete else ()
        self.action_meanings = tuple(name.lower() for name in names)
        self.title = config.game
        why = self.why_not_saved
        self.rules = "A Gymnasium environment." + (f" Nothing can be taken back: {why}." if why else "")

    def render(self) -> npt.NDArray[np.uint8] | None:
        """Return what the environment draws of itself; None where agents see images, or it draws nothing."""
        return self.picture()

    def _draw(self, config: EnvConfig) -> None:
        """Let the environment draw, unless its constructor does not know how."""
        with suppress(UserError):
            plain = self._envs
            super().__init__(config, render_mode="rgb_array")
            plain.close()


def _check_shown(game: str, observation: ObservationSpec) -> None:
    channels = {name: part.shape[-1] for name, part in observation.parts if part.is_image}
    if set(channels.values()) - {1, 3}:
        raise UserError(
            f"'{game}' cannot be played here: the player shows images of 3 colours or of 1, and vectors. Received "
            f"{observation}. Its policy can be measured: worldmodels eval."
        )


def _can_draw(game: str) -> bool:
    """Return whether an environment with this id may be made again in a mode in which it draws, beside TensorFlow."""
    spec = gymnasium.registry.get(game.rpartition(":")[2])
    return spec is not None and not OPENGL.match(str(spec.entry_point))


def _buttons(action: int, meaning: str) -> tuple[str, ...]:
    """Return directions where the name is made of them, no button for doing nothing, else a button of its own."""
    if meaning.upper() in ("NOOP", "NOTHING"):
        return ()
    words = WORDS.findall(meaning.upper())
    return tuple(word.lower() for word in words) if "".join(words) == meaning.upper() else (f"button {action}",)
