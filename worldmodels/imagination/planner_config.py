"""Configuration of the planner, and its named sets. Imports no TensorFlow."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from worldmodels.core.errors import ConfigError


@dataclass(frozen=True)
class PlannerConfig:
    """The numbers of planning by Monte-Carlo rollouts; the defaults are SimPLe's set `planner_small`."""

    rollouts: int = 64
    """Rollouts for each decision."""
    horizon: int = 16
    """Steps of each after its first action."""
    policy: Literal["agent", "random"] = "agent"
    """Who acts in the rollouts."""
    uniform_first_actions: bool = True
    """Try all actions equally often; otherwise the first action is the agent's too."""
    uct: float = 0.0
    """Weight of the bonus for actions that the agent finds probable and that were tried seldom."""
    window: int = 30
    """Decisions over whose best totals the normaliser takes the standard deviation."""
    discount: float = 0.99
    """For each step; that of the agent where it has one."""

    def __post_init__(self) -> None:
        for name in ("rollouts", "horizon", "window"):
            if (value := getattr(self, name)) < 1:
                raise ConfigError(f"The planner's {name} is {value}; it must be at least 1.")
        if self.uct < 0 or not 0 <= self.discount <= 1:
            raise ConfigError(
                f"The planner's uct must be 0 or more, and its discount between 0 and 1. Received uct {self.uct} and "
                f"discount {self.discount}."
            )


PLANNERS = {
    "tiny": PlannerConfig(rollouts=1, horizon=2, policy="random"),
    "small": PlannerConfig(),
    "base": PlannerConfig(rollouts=96, horizon=8),
}
"""SimPLe's sets of the same names."""
