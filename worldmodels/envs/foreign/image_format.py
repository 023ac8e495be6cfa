"""The images of foreign environments are brought to one size here, and to grey where that is asked for."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from PIL import Image

from worldmodels.core.errors import UserError
from worldmodels.core.specs import ArraySpec, ObservationSpec
from worldmodels.envs.config import EnvConfig


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
