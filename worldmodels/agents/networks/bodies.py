"""Bodies turn features of any kind into a vector (N, size), which the heads of an agent read.

`noise` is the seed of the regularisation while a network learns (see `images.py`); without one it is as it acts.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import keras
import numpy as np
import tensorflow as tf

from worldmodels.agents.config import ImageNetworkKind
from worldmodels.agents.networks.images import NONE, Regularisation, build_image_network
from worldmodels.core.specs import ObservationSpec
from worldmodels.models.api import ModelSpec
from worldmodels.models.config import HeadConfig, LayerStyle
from worldmodels.models.networks.layers import ELU, MLP, Activation, Layer
from worldmodels.models.precision import full


class BodySettings(NamedTuple):
    """The settings of a body, of which each kind of features uses its own."""

    images: ImageNetworkKind
    """Network for features that are images."""
    vectors: HeadConfig
    """Hidden layers for features that are vectors."""
    style: LayerStyle = ELU
    """Norm and nonlinearity of these layers."""
    regularisation: Regularisation = NONE
    """Disturbances of the network for images while it learns."""
    lstm: int = 0
    """Units of the memory behind the body; 0 for none."""


def build_body(settings: BodySettings, features: ObservationSpec, seeds: np.random.Generator) -> Layer:
    """Return the body for features; its `size` is that of its output.

    Raises:
        ConfigError: images are too small for the network.
    """
    if features.only is None:
        return JoinedBody(settings, features, seeds)
    if features.only.is_image:
        return build_image_network(settings.images, features.only.shape, seeds, settings.regularisation)
    return VectorBody(settings, features.only.size, seeds)


class VectorBody(Layer):
    """Dense layers, each with its activation; vectors as they are where there are no layers."""

    def __init__(self, settings: BodySettings, inputs: int, seeds: np.random.Generator):
        super().__init__(name="vectors")
        units, layers = settings.vectors.units, settings.vectors.layers
        self.size = units if layers else inputs
        self.layers = []
        if layers:
            self.layers.append(MLP((inputs, *(units,) * layers), seeds, "trunk", style=settings.style))
            self.layers.append(Activation(units, settings.style, "activation"))

    def call(self, features: tf.Tensor, noise: tf.Tensor | None = None) -> tf.Tensor:
        for layer in self.layers:
            features = layer(features)
        return features


class JoinedBody(Layer):
    """A network for each image of a dictionary, and one body for all its vectors, side by side."""

    def __init__(self, settings: BodySettings, features: ObservationSpec, seeds: np.random.Generator):
        super().__init__(name="joined")
        parts = dict(features.parts)
        self._images, self._vectors = features.images, features.vectors
        self.networks = []
        for i, name in enumerate(self._images):
            with keras.name_scope(f"image_{i}"):  # names of parts are anybody's, and no names of weights
                shape = parts[name].shape
                self.networks.append(build_image_network(settings.images, shape, seeds, settings.regularisation))
        inputs = sum(parts[name].size for name in self._vectors)
        self.vectors = VectorBody(settings, inputs, seeds) if inputs else None
        self.size = sum(network.size for network in self.networks) + (self.vectors.size if self.vectors else 0)

    def call(self, features: dict[str, Any], noise: tf.Tensor | None = None) -> tf.Tensor:
        seen = [network(features[name], noise) for name, network in zip(self._images, self.networks, strict=True)]
        if self.vectors:
            seen.append(self.vectors(tf.concat([features[name] for name in self._vectors], -1)))
        return tf.concat([full(x) for x in seen], -1)


def plain_body(images: ImageNetworkKind, features: ObservationSpec, seeds: np.random.Generator) -> Layer:
    """Return the body that brings features of any kind to one vector: a network for each image, vectors as they are."""
    return build_body(BodySettings(images, HeadConfig(layers=0)), features, seeds)


def build_head(
    config: HeadConfig,
    images: ImageNetworkKind,
    spec: ModelSpec,
    outputs: int,
    seeds: np.random.Generator,
    name: str,
    style: LayerStyle = ELU,
) -> Layer:
    """Build dense layers from features to (N, outputs), whose output is 0 at first: the uniform policy, the value 0.

    They stand behind a network of the kind `images` for each image among the features.
    """
    hidden = (config.units,) * config.layers
    if spec.feature_kind == "vector":
        return MLP((*spec.feature_shape, *hidden, outputs), seeds, name, zero_output=True, style=style)
    with keras.name_scope(name):
        body = plain_body(images, spec.features, seeds)
        head = MLP((body.size, *hidden, outputs), seeds, "head", zero_output=True, style=style)
    return HeadBehindImages(body, head, name)


class HeadBehindImages(Layer):
    """Image networks, beside vectors if there are any, and dense layers."""

    def __init__(self, body: Layer, head: Layer, name: str):
        super().__init__(name=name)
        self.body, self.head = body, head

    def call(self, features: Any) -> tf.Tensor:
        return self.head(self.body(features))
