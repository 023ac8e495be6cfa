"""World models: they see shapes and actions, never an environment."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from worldmodels.core.errors import ConfigError
from worldmodels.core.lookup import unknown
from worldmodels.models.rssm.config import RSSMConfig

if TYPE_CHECKING:
    import numpy as np

    from worldmodels.models.api import WorldModel

__all__ = ["MODELS", "build_model"]

MODELS: dict[str, tuple[type, str]] = {
    "rssm": (RSSMConfig, "worldmodels.models.rssm.world_model:RSSM"),
}
"""Every kind of world model: its configuration, and where its class stands (imported when one is built)."""


def build_model(config: Any, observation_shape: tuple[int, int, int], num_actions: int, seed: np.ndarray) -> WorldModel:
    """A fresh world model.

    Args:
        config: one of the configuration classes in `MODELS`.
        observation_shape: (H, W, C) of the uint8 images.
        num_actions: size of the discrete action space.
        seed: int32 (2,), for the initial weights.
    """
    if config.kind not in MODELS:
        raise ConfigError(unknown("model", config.kind, MODELS))
    import_module("worldmodels.models.graph").make_deterministic()
    module, name = MODELS[config.kind][1].split(":")
    return getattr(import_module(module), name)(config, observation_shape, num_actions, seed)
