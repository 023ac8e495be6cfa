"""Configuration of PPO. Imports no TensorFlow."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class PPOConfig:
    """Proximal policy optimisation (Schulman et al. 2017), in imagination and in the real world."""

    kind: str = "ppo"
