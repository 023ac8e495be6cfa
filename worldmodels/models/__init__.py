"""World models depend on shapes and actions, never on an environment."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from worldmodels.core.configuration.kinds import Kinds
from worldmodels.models.config import FrameStackConfig, ModelConfig
from worldmodels.models.flow.config import FlowConfig
from worldmodels.models.next_frame.config import DeterministicConfig, StochasticDiscreteConfig
from worldmodels.models.rssm.config import RSSMConfig

if TYPE_CHECKING:
    import numpy as np

    from worldmodels.core.specs import ActionSpec, ObservationSpec
    from worldmodels.models.api import Representation

__all__ = ["MODELS", "build_model", "register_model"]

MODELS = Kinds("model", "worldmodels.models")
"""Every kind of representation, all but "frames" world models."""


def register_model(kind: str, config: type, home: str) -> None:
    """Add a kind of model to `MODELS`; adding the same again changes nothing.

    Args:
        kind: as in YAML, `model: {kind: ...}`.
        config: a frozen dataclass like `ModelConfig`, in a module that should not import TensorFlow.
        home: the model's class, "package.module:Class". It is called with `config`, the specs of observations and of
            actions (`core/specs.py`) and a seed; `models/api.py` has its methods.

    Raises:
        ConfigError: the kind is taken by another class, or `config` is no dataclass of that kind.
    """
    MODELS.register(kind, config, home)


register_model("deterministic", DeterministicConfig, "worldmodels.models.next_frame.deterministic:Deterministic")
register_model("flow", FlowConfig, "worldmodels.models.flow.model:Flow")
register_model("frames", FrameStackConfig, "worldmodels.models.frame_stack:FrameStack")
register_model("rssm", RSSMConfig, "worldmodels.models.rssm.world_model:RSSM")
register_model(
    "stochastic_discrete",
    StochasticDiscreteConfig,
    "worldmodels.models.next_frame.stochastic_discrete:StochasticDiscrete",
)


def build_model(
    config: ModelConfig, observation: ObservationSpec, action: ActionSpec, seed: np.ndarray
) -> Representation:
    """Return a fresh world model, or another representation.

    Args:
        config: of one of the classes in `MODELS`.
        observation: the spec of the environment's observations.
        action: the spec of its actions.
        seed: int32 (2,), for the initial weights.

    Raises:
        ConfigError: there is no such kind, or the model cannot be built for these spaces.
    """
    return cast("Representation", MODELS.build(config, observation, action, seed))
