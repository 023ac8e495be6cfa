"""Networks of agents, by the kind of features that a representation offers."""

from __future__ import annotations

import keras
import numpy as np
import tensorflow as tf

from worldmodels.agents.config import ImageNetworkKind
from worldmodels.agents.image_networks import build_image_network
from worldmodels.models.api import ModelSpec
from worldmodels.models.config import HeadConfig
from worldmodels.models.layers import MLP, Layer


def build_head(
    config: HeadConfig, images: ImageNetworkKind, spec: ModelSpec, outputs: int, seeds: np.random.Generator, name: str
) -> Layer:
    """Build layers from features (N, ...) to (N, outputs), whose output is 0 at first: the uniform policy, the value 0.

    Dense layers, behind an image network of the kind `images` where features are images.
    """
    if spec.feature_kind == "images":
        return ImageHead(config, images, spec, outputs, seeds, name)
    return MLP((*spec.feature_shape, *(config.units,) * config.layers, outputs), seeds, name, zero_output=True)


class ImageHead(Layer):
    """An image network and dense layers."""

    def __init__(
        self,
        config: HeadConfig,
        images: ImageNetworkKind,
        spec: ModelSpec,
        outputs: int,
        seeds: np.random.Generator,
        name: str,
    ):
        super().__init__(name=name)
        with keras.name_scope(name):
            self.network = build_image_network(images, spec.feature_shape, seeds)
            sizes = (self.network.size, *(config.units,) * config.layers, outputs)
            self.head = MLP(sizes, seeds, "head", zero_output=True)

    def call(self, features: tf.Tensor) -> tf.Tensor:
        return self.head(self.network(features))
