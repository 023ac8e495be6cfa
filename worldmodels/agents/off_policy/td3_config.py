"""Configuration of TD3. Imports no TensorFlow."""

from __future__ import annotations

from dataclasses import dataclass

from worldmodels.agents.config import BOXES
from worldmodels.agents.off_policy.config import OffPolicyAgentConfig
from worldmodels.core.configuration.ranges import NonNegative, Positive


@dataclass(frozen=True)
class TD3Config(OffPolicyAgentConfig):
    """Twin delayed DDPG (Fujimoto et al. 2018); the defaults are Spinning Up's figures."""

    kind: str = "td3"
    action_kinds = BOXES
    noise: NonNegative = 0.1
    """Standard deviation of the noise on actions, which are from -1 to 1, at temperature 1 (`act_noise` in Spinning
    Up)."""
    target_noise: NonNegative = 0.2
    """Standard deviation of the noise on the target policy's actions."""
    noise_clip: NonNegative = 0.5
    """Size beyond which that noise is clipped."""
    policy_delay: Positive = 2
    """Updates of the critics for one update of the policy and of the target networks."""
