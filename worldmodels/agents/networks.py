"""Networks of agents, by the kind of features that a world model offers."""

from __future__ import annotations

import numpy as np

from worldmodels.core.errors import ConfigError
from worldmodels.models.api import ModelSpec
from worldmodels.models.config import HeadConfig
from worldmodels.models.layers import MLP


def build_head(config: HeadConfig, spec: ModelSpec, outputs: int, seeds: np.random.Generator, name: str) -> MLP:
    """From features (N, F) to (N, outputs); starts at exactly 0, which is the uniform policy and the value 0."""
    if spec.feature_kind != "vector":
        raise ConfigError(f"The {name} needs a world model with vector features; this one offers {spec.feature_kind}.")
    sizes = (*spec.feature_shape, *(config.units,) * config.layers, outputs)
    return MLP(sizes, seeds, name, zero_output=True)
