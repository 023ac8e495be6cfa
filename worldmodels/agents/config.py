"""Settings that several agents share. Imports no TensorFlow."""

from __future__ import annotations

from typing import Literal, Protocol

from worldmodels.core.specs import ActionKind
from worldmodels.models.api import FeatureKind

ImageNetworkKind = Literal["small", "nature", "impala", "impala_large"]
"""SimPLe's two convolutions; DQN's three (Mnih et al. 2015); IMPALA's residual network (Espeholt et al. 2018), and that
with five wider stages (CoinRun, Cobbe et al. 2019)."""

RewardTransform = Literal["none", "clip", "tanh"]
"""The transform of rewards before an agent learns from them: none, clipping to [-1, 1], or the hyperbolic
tangent."""

DISCRETE: tuple[ActionKind, ...] = ("discrete",)
BOXES: tuple[ActionKind, ...] = ("box",)
ANY_ACTIONS: tuple[ActionKind, ...] = ("discrete", "box")
ANY_FEATURES: tuple[FeatureKind, ...] = ("vector", "images", "mixed")


class AgentConfig(Protocol):
    """The configuration of an agent of any kind: a frozen dataclass whose first field is `kind: str = "name"`."""

    @property
    def kind(self) -> str:
        """The name of the kind in YAML."""

    @property
    def learns_from_experience(self) -> bool:
        """Whether the agent can learn in the real world; a fact about the kind, so a class attribute and no field."""

    @property
    def learns_from_transitions(self) -> bool:
        """Whether the agent can learn from single steps of any age, drawn at random."""

    @property
    def action_kinds(self) -> tuple[ActionKind, ...]:
        """The kinds of actions that the agent can choose; a fact about the kind, as are the following."""

    @property
    def feature_kinds(self) -> tuple[FeatureKind, ...]:
        """The kinds of features that the agent can see."""

    def __hash__(self) -> int:
        """Return a hash of the settings, which a frozen dataclass has."""
