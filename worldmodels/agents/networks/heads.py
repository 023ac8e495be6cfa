"""Heads of agents: features of any kind to (N, outputs)."""

from __future__ import annotations

from typing import Any

import keras
import numpy as np
import tensorflow as tf

from worldmodels.agents.config import ImageNetworkKind
from worldmodels.agents.networks.bodies import BodySettings, build_body
from worldmodels.core.specs import ObservationSpec
from worldmodels.models.api import ModelSpec
from worldmodels.models.config import HeadConfig, LayerStyle
from worldmodels.models.networks.layers import ELU, MLP, Layer


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
