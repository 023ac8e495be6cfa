"""Configuration of the random agent. Imports no TensorFlow."""

from __future__ import annotations

from dataclasses import dataclass

from worldmodels.agents.config import ANY_ACTIONS, ANY_FEATURES
from worldmodels.core.configuration.ranges import Section


@dataclass(frozen=True)
class RandomConfig(Section):
    """An agent that draws its actions uniformly, and has no settings."""

    kind: str = "random"
    # Facts about the kind, not settings: so without types.
    learns_from_experience = True
    learns_from_transitions = False
    action_kinds, feature_kinds = ANY_ACTIONS, ANY_FEATURES
