"""The encoder and the decoder of whole observations use image layouts for images and dense layers for vectors.

All images of an observation are joined along their channels, and all vectors are joined, as in DreamerV2.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import keras
import numpy as np
import tensorflow as tf

from worldmodels.core.specs import ObservationSpec
from worldmodels.models.networks.images import build_decoder, build_encoder
from worldmodels.models.networks.layers import MLP, Activation, Layer
from worldmodels.models.precision import full
from worldmodels.models.rssm.config import RSSMConfig, image_of


class ObservationEncoder:
    """Reads the parts of observations that the configuration names.

    Attributes:
        image: the encoder of images; None where none are read.
        vectors: the encoder of vectors; None where none are read.
        size: of an embedding.
    """

    def __init__(self, config: RSSMConfig, observation: ObservationSpec, seeds: np.random.Generator):
        self.spec = observation.matching(config.encoder_keys)
        image = image_of(self.spec)
        self.image: Any = build_encoder(config.encoder, image, seeds, config.style) if image else None
        self.vectors = VectorEncoder(config, _count_numbers(self.spec), seeds) if self.spec.vectors else None
        self.size = sum(layer.size for layer in self.layers())

    def layers(self) -> Iterator[Any]:
        """Yield the layers that hold weights."""
        yield from (layer for layer in (self.image, self.vectors) if layer)

    def __call__(self, arrays: Mapping[str, tf.Tensor]) -> tf.Tensor:
        """Return the embeddings (N, size) of the parts of N observations."""
        seen = []
        if self.image:
            seen.append(self.image(join_images(self.spec, arrays)))
        if self.vectors:
            seen.append(full(self.vectors(join_vectors(self.spec, arrays))))
        return seen[0] if len(seen) == 1 else tf.concat([full(x) for x in seen], -1)


class ObservationDecoder:
    """Predicts the parts of observations that the configuration names.

    Attributes:
        image: the decoder of images; None where none are predicted.
        vectors: the decoder of vectors; None where none are predicted.
    """

    def __init__(self, config: RSSMConfig, observation: ObservationSpec, features: int, seeds: np.random.Generator):
        self.spec = observation.matching(config.decoder_keys)
        image = image_of(self.spec)
        self.image: Any = build_decoder(config.decoder, features, image, seeds, config.style) if image else None
        size = _count_numbers(self.spec)
        self.vectors = VectorDecoder(config, features, size, seeds) if self.spec.vectors else None

    def layers(self) -> Iterator[Any]:
        """Yield the layers that hold weights."""
        yield from (layer for layer in (self.image, self.vectors) if layer)

    def first_image(self, pictures: tf.Tensor) -> tf.Tensor:
        """Return the first image of pictures with the channels of all, (N, H, W, C)."""
        return pictures[..., : dict(self.spec.parts)[self.spec.images[0]].shape[-1]]

    def split_vectors(self, joined: tf.Tensor) -> dict[str, tf.Tensor]:
        """Return the vectors of one part each, (N, D), by the names of the parts."""
        parts = dict(self.spec.parts)
        sizes = [parts[name].size for name in self.spec.vectors]
        return dict(zip(self.spec.vectors, tf.split(joined, sizes, -1), strict=True))


class VectorEncoder(Layer):
    """Dense layers on the vectors of an observation, each with its activation."""

    def __init__(self, config: RSSMConfig, inputs: int, seeds: np.random.Generator):
        super().__init__(name="vector_encoder")
        self.size = config.vectors.units if config.vectors.layers else inputs
        with keras.name_scope("vector_encoder"):
            self.layers = []
            if config.vectors.layers:
                sizes = (inputs, *(config.vectors.units,) * config.vectors.layers)
                self.layers.append(MLP(sizes, seeds, "layers", style=config.style))
                self.layers.append(Activation(self.size, config.style, "activation"))

    def call(self, vectors: tf.Tensor) -> tf.Tensor:
        for layer in self.layers:
            vectors = layer(vectors)
        return vectors


class VectorDecoder(MLP):
    """The means of unit-variance normals over the vectors of an observation."""

    def __init__(self, config: RSSMConfig, features: int, outputs: int, seeds: np.random.Generator):
        sizes = (features, *(config.vectors.units,) * config.vectors.layers, outputs)
        super().__init__(sizes, seeds, "vector_decoder", style=config.style)

    def loss(self, features: tf.Tensor, vectors: tf.Tensor) -> tf.Tensor:
        """Return half the squared error of vectors (N, D), summed over their numbers: (N,)."""
        return 0.5 * tf.reduce_sum(tf.square(self(features) - vectors), -1)

    def vectors(self, features: tf.Tensor) -> tf.Tensor:
        """Return the expected vectors (N, D) in the environment's units."""
        return self(features)


def join_images(spec: ObservationSpec, arrays: Mapping[str, tf.Tensor]) -> tf.Tensor:
    """Return the images of N observations as pictures with the channels of all of them, uint8 (N, H, W, C)."""
    images = [arrays[name] for name in spec.images]
    return images[0] if len(images) == 1 else tf.concat(images, -1)


def join_vectors(spec: ObservationSpec, arrays: Mapping[str, tf.Tensor]) -> tf.Tensor:
    """Return the vectors of N observations as one each, float32 (N, D)."""
    return tf.concat([arrays[name] for name in spec.vectors], -1)


def _count_numbers(spec: ObservationSpec) -> int:
    parts = dict(spec.parts)
    return sum(parts[name].size for name in spec.vectors)
