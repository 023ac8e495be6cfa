"""The configuration of the planner and its named sets import no TensorFlow."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from worldmodels.core.configuration.ranges import Section, Share, Size


@dataclass(frozen=True)
class PlannerConfig(Section):
    """A planner by Monte-Carlo rollouts; the defaults are SimPLe's set `planner_small`."""

    rollouts: Size = 64
    """Number of rollouts for each decision."""
    horizon: Size = 16
    """Steps of each rollout after its first action."""
    policy: Literal["agent", "random"] = "agent"
    """Policy that acts in the rollouts."""
    discount: Share = 0.99
    """Discount of each step's future. The agent's own discount replaces it, if it has one."""


PLANNERS = {
    "tiny": PlannerConfig(rollouts=1, horizon=2, policy="random"),
    "small": PlannerConfig(),
    "base": PlannerConfig(rollouts=96, horizon=8),
}
"""SimPLe's sets of the same names."""
