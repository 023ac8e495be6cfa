"""Latents that each have a patch of the image of their own.

A small thing moves a few pixels. To tell where it is through latents that belong to the whole image, each of them has
to learn every place by itself. Here what a patch shows speaks for its latents directly, and they for what is painted
there, with the same weights everywhere: so what was learned in one place holds in all of them, as in the tokens of
images (IRIS; Micheli et al. 2023). Dynamics, prior and heads see one long latent, as always.
"""

from __future__ import annotations

import keras
import numpy as np
import tensorflow as tf

from worldmodels.models.config import LayerStyle
from worldmodels.models.networks.layers import Activation, Dense, Layer
from worldmodels.models.precision import full

UNITS = 64
"""Units between a patch and its latents, on either side."""


class LocalLatents(Layer):
    """The two small networks that join each patch with its latents.

    Args:
        patches: in an image.
        size: of all latents of an image, statistics and samples alike.
        seen: units that the encoder has of each patch.
        painted: units that the decoder has of each patch.
    """

    def __init__(self, patches: int, size: int, seen: int, painted: int, seeds: np.random.Generator, style: LayerStyle):
        super().__init__(name="local")
        self.size, self._own = size, size // patches
        with keras.name_scope("local"):
            self.look = Dense(seen, UNITS, seeds, "look")
            self.after_look = Activation(UNITS, style, "after_look")
            self.say = Dense(UNITS, self._own, seeds, "say")
            self.hear = Dense(self._own, UNITS, seeds, "hear")
            self.after_hear = Activation(UNITS, style, "after_hear")
            self.paint = Dense(UNITS, painted, seeds, "paint")

    def statistics(self, seen: tf.Tensor) -> tf.Tensor:
        """Return what patches say of their latents, float32 (N, size), of what they show, (N * patches, seen)."""
        said = self.say(self.after_look(self.look(seen)))
        return tf.reshape(full(said), (-1, self.size))

    def call(self, latent: tf.Tensor) -> tf.Tensor:
        """Return what latents, float32 (N, size), tell the decoder of their patches, (N * patches, painted)."""
        return self.paint(self.after_hear(self.hear(tf.reshape(latent, (-1, self._own)))))
