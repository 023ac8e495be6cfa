"""Configuration of the random agent. Imports no TensorFlow."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class RandomConfig:
    """Nothing to choose."""

    kind: str = "random"
