"""World models: they see shapes and actions, never an environment."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from worldmodels.core.errors import ConfigError
from worldmodels.core.lookup import unknown
from worldmodels.models.frame_stack_config import FrameStackConfig
from worldmodels.models.next_frame.config import DeterministicConfig, StochasticDiscreteConfig
from worldmodels.models.rssm.config import RSSMConfig

if TYPE_CHECKING:
    import numpy as np

    from worldmodels.models.api import Representation

__all__ = ["MODELS", "build_model"]

MODELS: dict[str, tuple[type, str]] = {
    "deterministic": (DeterministicConfig, "worldmodels.models.next_frame.deterministic:Deterministic"),
    "frames": (FrameStackConfig, "worldmodels.models.frame_stack:FrameStack"),
    "rssm": (RSSMConfig, "worldmodels.models.rssm.world_model:RSSM"),
    "stochastic_discrete": (
        StochasticDiscreteConfig,
        "worldmodels.models.next_frame.stochastic_discrete:StochasticDiscrete",
    ),
}
"""Every kind of representation, all but "frames" world models: its configuration, and where its class stands (imported
when one is built)."""


def build_model(
    config: Any, observation_shape: tuple[int, int, int], num_actions: int, seed: np.ndarray
) -> Representation:
    """A fresh world model, or another representation.

    Args:
        config: one of the configuration classes in `MODELS`.
        observation_shape: (H, W, C) of the uint8 images.
        num_actions: size of the discrete action space.
        seed: int32 (2,), for the initial weights.
    """
    if config.kind not in MODELS:
        raise ConfigError(unknown("model", config.kind, MODELS))
    module, name = MODELS[config.kind][1].split(":")
    return getattr(import_module(module), name)(config, observation_shape, num_actions, seed)
