"""A Gymnasium environment that is not one of ours, seen as a game of the player."""

from __future__ import annotations

import re
from contextlib import suppress
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt

from worldmodels.core.errors import UserError
from worldmodels.core.specs import ObservationSpec
from worldmodels.envs import EnvConfig
from worldmodels.envs.foreign.packages import draws_with_opengl, registered_spec
from worldmodels.recordings.action_replay import SingleEnv, make_one

WORDS = re.compile("UP|DOWN|LEFT|RIGHT|FIRE")
"""The words in the names of actions of Atari's games, and of many others."""


DRAWN_SIZE = 384
"""Pixels of each side of pictures that another process draws."""


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
        self._drawn_elsewhere = False
        self._picture: npt.NDArray[np.uint8] | None = None
        spec = registered_spec(config.game)
        if spec is not None and not self.observation_spec.images:
            self._draw(config, elsewhere=draws_with_opengl(spec))
        names = self.action_names()
        discrete = self.action_spec.is_discrete
        self.action_keys = tuple(_buttons(i, name) for i, name in enumerate(names)) if discrete else ()
        self.action_meanings = tuple(name.lower() for name in names)
        self.title = config.game
        why = self.why_not_saved
        self.rules = "A Gymnasium environment." + (f" Nothing can be taken back: {why}." if why else "")

    def render(self) -> npt.NDArray[np.uint8] | None:
        """Return the environment's own picture; None if agents see images or there is no picture."""
        return self._picture if self._drawn_elsewhere else self.picture()

    def set_state(self, state: bytes) -> None:
        """Go back to a state that `get_state` gave."""
        super().set_state(state)
        self._row(self._envs.observe())  # for its picture

    def _draw(self, config: EnvConfig, elsewhere: bool) -> None:
        """Let the environment draw, unless it does not know how.

        Args:
            elsewhere: it draws with OpenGL, which no process with TensorFlow can do, and so beside its observations.
        """
        with suppress(UserError):
            if elsewhere:
                drawing = replace(config, pixels="beside", image_size=DRAWN_SIZE, image_height=0, grey=False)
                drawn = make_one(drawing)
            else:
                drawn = make_one(config, "rgb_array")
            self._envs.close()
            self._envs, self._drawn_elsewhere = drawn, elsewhere

    def _row(self, observations: Any) -> Any:
        if not self._drawn_elsewhere:
            return super()._row(observations)
        self._picture = observations["image"][0]
        if self.observation_spec.only:
            return observations["state"][0]
        return super()._row({name: array for name, array in observations.items() if name != "image"})


def _check_shown(game: str, observation: ObservationSpec) -> None:
    channels = {name: part.shape[-1] for name, part in observation.parts if part.is_image}
    if set(channels.values()) - {1, 3}:
        raise UserError(
            f"The player cannot show '{game}': it shows images of 1 or 3 colours, and vectors. Received "
            f"{observation}. Instead, worldmodels eval measures its policy."
        )


def _buttons(action: int, meaning: str) -> tuple[str, ...]:
    """Return directions where the name is made of them, no button for doing nothing, else a button of its own."""
    if meaning.upper() in ("NOOP", "NOTHING"):
        return ()
    words = WORDS.findall(meaning.upper())
    return tuple(word.lower() for word in words) if "".join(words) == meaning.upper() else (f"button {action}",)
