"""Heads of agents: features of any kind to (N, outputs)."""

from __future__ import annotations

from typing import Any

import keras
import numpy as np
import tensorflow as tf

from worldmodels.agents.bodies import BodySettings, build_body
from worldmodels.agents.config import ImageNetworkKind
from worldmodels.core.specs import ObservationSpec
from worldmodels.models.api import ModelSpec
from worldmodels.models.config import HeadConfig, LayerStyle
from worldmodels.models.layers import ELU, MLP, Layer


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
    if spec.feature_kind != "vector":
        return HeadBehindImages(config, images, spec, outputs, seeds, name, style)
    sizes = (*spec.feature_shape, *(config.units,) * config.layers, outputs)
    return MLP(sizes, seeds, name, zero_output=True, style=style)


class HeadBehindImages(Layer):
    """Image networks, beside vectors if there are any, and dense layers."""

    def __init__(
        self,
        config: HeadConfig,
        images: ImageNetworkKind,
        spec: ModelSpec,
        outputs: int,
        seeds: np.random.Generator,
        name: str,
        style: LayerStyle = ELU,
    ):
        super().__init__(name=name)
        with keras.name_scope(name):
            self.body = plain_body(images, spec.features, seeds)
            sizes = (self.body.size, *(config.units,) * config.layers, outputs)
            self.head = MLP(sizes, seeds, "head", zero_output=True, style=style)

    def call(self, features: Any) -> tf.Tensor:
        return self.head(self.body(features))
