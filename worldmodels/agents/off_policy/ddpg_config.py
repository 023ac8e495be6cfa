"""Configuration of DDPG. Imports no TensorFlow."""

from __future__ import annotations

from dataclasses import dataclass

from worldmodels.agents.config import BOXES
from worldmodels.agents.off_policy.config import OffPolicyAgentConfig
from worldmodels.core.configuration.ranges import NonNegative


@dataclass(frozen=True)
class DDPGConfig(OffPolicyAgentConfig):
    """Deep deterministic policy gradient (Lillicrap et al. 2016); the defaults are Spinning Up's figures."""

    kind: str = "ddpg"
    action_kinds = BOXES
    noise: NonNegative = 0.1
    """Standard deviation of the noise on actions, which are from -1 to 1, at temperature 1 (`act_noise` in Spinning
    Up)."""
