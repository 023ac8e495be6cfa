"""Configuration of the random agent. Imports no TensorFlow."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class RandomConfig:
    """Nothing to choose."""

    kind: str = "random"
    learns_from_experience = True  # a fact about the kind, not a setting: so without a type
