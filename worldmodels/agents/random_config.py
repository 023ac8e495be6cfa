"""Configuration of the random agent. Imports no TensorFlow."""

from __future__ import annotations

from dataclasses import dataclass

from worldmodels.core.ranges import Section


@dataclass(frozen=True)
class RandomConfig(Section):
    """An agent that draws its actions uniformly, and has no settings."""

    kind: str = "random"
    learns_from_experience = True  # a fact about the kind, not a setting: so without a type
