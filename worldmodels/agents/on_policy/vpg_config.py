"""Configuration of VPG. Imports no TensorFlow."""

from __future__ import annotations

from dataclasses import dataclass, field

from worldmodels.agents.on_policy.config import OnPolicyConfig, adam
from worldmodels.models.config import OptimizerConfig


@dataclass(frozen=True)
class VPGConfig(OnPolicyConfig):
    """Vanilla policy gradient (Sutton et al. 2000) with generalised advantages (Schulman et al. 2016), in imagination
    and in the real world. The defaults are Spinning Up's."""

    kind: str = "vpg"
    optimizer: OptimizerConfig = field(default_factory=lambda: adam(3e-4))
    """Optimizer of the policy."""
