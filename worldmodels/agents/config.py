"""The base of every agent's configuration, and types of settings that agents share; imports no TensorFlow."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, Protocol

from worldmodels.core.configuration.ranges import Section, Share
from worldmodels.core.specs import ActionKind
from worldmodels.models.api import FeatureKind, ModelSpec

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


class CheckedSettings(Protocol):
    """The part of a run's configuration that the checks of an agent read."""

    @property
    def training(self) -> Any:
        """The configuration of the loop."""

    @property
    def devices(self) -> int:
        """The devices that share each update."""

    @property
    def trains_policy(self) -> bool:
        """Whether the agent ever learns."""


def learns_in_imagination(run: CheckedSettings) -> bool:
    """Return whether the loop of a run updates the agent in imagination."""
    return bool(run.training.kind == "model_based" and run.training.improve)


@dataclass(frozen=True)
class AgentConfig(Section):
    """The base of the configuration of an agent of any kind, whose first field is `kind: str = "name"`.

    Attributes:
        experience: the kinds of experience from which the agent can learn. "imagination": rollouts in a world model.
            "rollouts": real ones of its own policy. "transitions": single steps of any age. "recent": newest real
            steps, handed over with each update in imagination.
        learns_on_devices: whether several devices can share an update.
        action_kinds: the kinds of actions that the agent can choose.
        feature_kinds: the kinds of features that the agent can see.
    """

    # Facts about the kind, not settings: so without types. An agent of a kind makes `kind` a key.
    kind = ""
    experience = frozenset({"imagination"})
    learns_on_devices = False
    action_kinds, feature_kinds = ANY_ACTIONS, ANY_FEATURES

    @property
    def recent_steps(self) -> int:
        """Return the newest steps of each environment that the agent needs; 0 where it does not learn from these."""
        return 0

    @property
    def shared_rows(self) -> dict[str, int]:
        """Return the numbers of rows, by key, that devices share evenly."""
        return {}

    def check_spec(self, spec: ModelSpec) -> None:
        """Check that the agent can learn in a model of a spec; kinds of actions and features are checked before.

        Raises:
            ConfigError: the agent cannot.
        """

    def check(self, run: CheckedSettings) -> None:
        """Check that the agent and the rest of a run go together.

        Raises:
            ConfigError: they do not; the text names the keys of both.
        """


@dataclass(frozen=True)
class LearningAgentConfig(AgentConfig):
    """The setting that all agents with networks have."""

    images: ImageNetworkKind = "small"
    """Network for each image among the features. Networks that share no layers have one each."""


@dataclass(frozen=True)
class ModelFreeAgentConfig(LearningAgentConfig):
    """The settings of agents that learn from real experience, too: from rollouts, or from single steps of any age."""

    discount: Share = 0.99
    """Discount factor per step (`gamma` in Spinning Up and in Stable-Baselines3)."""
    normalize_features: bool = False
    """Bring each number of a vector to mean 0 and variance 1, by running moments (`norm_obs` of Stable-Baselines3's
    VecNormalize)."""


@dataclass(frozen=True)
class RandomConfig(AgentConfig):
    """An agent that draws its actions uniformly, and has no settings."""

    kind: str = "random"
    experience = frozenset({"imagination", "rollouts"})
