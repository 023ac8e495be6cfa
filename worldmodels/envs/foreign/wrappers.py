"""Wrappers around one copy of a foreign environment, as its configuration lists them: Gymnasium's own but for one.

The images of foreign environments are brought to one size here, and to grey where that is asked for.
"""

from __future__ import annotations

from typing import Any, NamedTuple, TypeAlias

import gymnasium
import numpy as np
import numpy.typing as npt
from gymnasium.spaces import Box
from gymnasium.wrappers import (
    AddRenderObservation,
    ClipReward,
    TimeLimit,
)
from PIL import Image

from worldmodels.core.errors import UserError
from worldmodels.core.specs import ArraySpec, ObservationSpec
from worldmodels.envs.config import EnvConfig
from worldmodels.envs.spaces import space_text

Env: TypeAlias = gymnasium.Env[Any, Any]


def wrapped(env: Env, config: EnvConfig) -> Env:
    """Return an environment in the wrappers that `config` names, the innermost first.

    Sticky actions are drawn at each of the environment's own steps, also within a repeated action, and from the
    environment's own generator. The rewards of a repeated action are summed, then clipped. The time limit
    counts what the agent sees of all that.

    Raises:
        UserError: a wrapper cannot have the space of the observations.
    """
    if config.frame_max:
        _check_box(env, config)
    if config.action_repeat > 1 or config.sticky_actions:
        env = RepeatedAction(env, config.action_repeat, config.frame_max, config.sticky_actions)
    if config.reward_clip:
        env = ClipReward(env, -config.reward_clip, config.reward_clip)
    if config.time_limit:
        env = TimeLimit(env, config.time_limit)
    return _with_pixels(env, config) if config.pixels != "none" else env


class RepeatedAction(gymnasium.Wrapper[Any, Any, Any, Any]):
    """This wrapper takes an action for several steps of the environment, or until the episode ends.

    The environment gets another copy of the action at each step, since it may change the array in place.

    Args:
        env: the environment.
        steps: the number of steps, 1 or more. Their rewards are summed.
        frame_max: whether to show the maximum of the last two observations of these steps. An episode that ends with
            the first of the steps shows its last observation.
        sticky: the probability, at each step but an episode's first, of the action before instead. It is drawn from the
            environment's own generator.
    """

    def __init__(self, env: Env, steps: int, frame_max: bool = False, sticky: float = 0.0) -> None:
        super().__init__(env)
        self._steps, self._frame_max, self._sticky = steps, frame_max, sticky
        self.last_action: Any = None
        """The action of the step before; None in a new episode."""
        self.infos: list[Any] = []
        """The infos of all steps of the last action."""

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Any, dict[str, Any]]:
        """Begin an episode; return the observation and an info."""
        self.last_action = None
        return self.env.reset(seed=seed, options=options)

    def step(self, action: Any) -> tuple[Any, Any, bool, bool, dict[str, Any]]:
        """Take all steps; return the observation, the sum of the rewards, the flags and the info of the last one."""
        before, total = None, 0.0
        self.infos = []
        for _ in range(self._steps):
            shown, reward, terminated, truncated, info = self.env.step(self._chosen(action))
            self.infos.append(info)
            if self._steps == 1:
                return shown, reward, terminated, truncated, info
            total += float(reward)
            if self._frame_max:
                latest = np.array(shown)
                shown, before = (latest if before is None else np.maximum(before, latest)), latest
            if terminated or truncated:
                break
        return shown, total, terminated, truncated, info

    def _chosen(self, action: Any) -> Any:
        if self._sticky and self.last_action is not None and self.np_random.uniform() < self._sticky:
            action = self.last_action
        self.last_action = action
        return action.copy() if isinstance(action, np.ndarray) else action


def _with_pixels(env: Env, config: EnvConfig) -> Env:
    """Return an environment that draws itself once after each step, however often that repeats an action."""
    if env.render_mode != "rgb_array":
        raise UserError(
            f"env.pixels are pictures of an environment that draws itself: '{config.game}' must be made with "
            f"render_mode='rgb_array', and has {env.render_mode!r}."
        )
    env.reset(seed=0)  # the wrapper draws at once, and where Gymnasium's robots stand then is where their camera looks
    return AddRenderObservation(env, render_only=config.pixels == "only", render_key="image")


def _check_box(env: Env, config: EnvConfig) -> None:
    if not isinstance(env.observation_space, Box):
        raise UserError(
            f"env.frame_max is for a Box of observations; '{config.game}' has {space_text(env.observation_space)}."
        )


class ImageFormat(NamedTuple):
    """The size and the colours of images.

    Gymnasium's wrappers for both take more than half of an Atari game's time, and one of them needs OpenCV.
    """

    size: int = 64
    """Pixels of each side, or of the width alone."""
    grey: bool = False
    """Whether colour images become grey, with the weights of ITU-R 601-2 for the three colours."""
    height: int = 0
    """Rows; 0: as many as columns."""

    @classmethod
    def of(cls, config: EnvConfig) -> ImageFormat:
        """Return the image format of an environment's configuration."""
        return cls(config.image_size, config.grey, config.image_height)

    @property
    def shape(self) -> tuple[int, int]:
        """Return rows and columns."""
        return self.height or self.size, self.size

    def spec(self, spec: ObservationSpec, id: str) -> ObservationSpec:
        """Return a spec with all images in this format.

        Raises:
            UserError: nothing is in colour that is to be grey.
        """
        if self.grey and not any(part.is_image and part.shape[2] == 3 for _, part in spec.parts):
            raise UserError(f"env.grey is for images in 3 colours; '{id}' has the observations {spec}.")
        return ObservationSpec(tuple((name, self._part(part)) for name, part in spec.parts))

    def images(self, images: npt.NDArray[np.uint8]) -> npt.NDArray[np.uint8]:
        """Return images (N, H, W, C) in this format."""
        if images.shape[1:3] == self.shape and not self._turns_grey(images.shape):
            return images
        return np.stack([self._image(image) for image in images])

    def _part(self, part: ArraySpec) -> ArraySpec:
        if not part.is_image:
            return part
        return ArraySpec((*self.shape, 1 if self._turns_grey(part.shape) else part.shape[2]))

    def _turns_grey(self, shape: tuple[int, ...]) -> bool:
        return self.grey and shape[-1] == 3

    def _image(self, image: npt.NDArray[np.uint8]) -> npt.NDArray[np.uint8]:
        if self._turns_grey(image.shape):
            return self._resized(Image.fromarray(image).convert("L"))[..., None]
        if image.shape[2] == 3:
            return self._resized(Image.fromarray(image))
        # Pillow takes one channel or three.
        return np.stack([self._resized(Image.fromarray(channel)) for channel in np.moveaxis(image, 2, 0)], -1)

    def _resized(self, image: Any) -> npt.NDArray[np.uint8]:
        """Return an image each of whose pixels is the mean of what it covers."""
        return np.asarray(image.resize(self.shape[::-1], Image.Resampling.BOX))
