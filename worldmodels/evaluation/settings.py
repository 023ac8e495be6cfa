"""What an evaluation may be asked for."""

from __future__ import annotations

from worldmodels.core.errors import ConfigError
from worldmodels.runtime.config import EvaluationConfig


def check_settings(settings: EvaluationConfig) -> None:
    """Raises ConfigError for a number out of its range."""
    for name in ("episodes", "max_steps", "context", "horizon", "windows"):
        if (value := getattr(settings, name)) < 1:
            raise ConfigError(f"evaluation.{name} is {value}; it must be at least 1.")
    for name in ("temperatures", "model_temperatures", "noops"):
        values = getattr(settings, name)
        if not values:
            raise ConfigError(f"evaluation.{name} is empty; it must hold at least one number.")
        if min(values) < 0:
            raise ConfigError(f"evaluation.{name} holds {min(values)}; they must be 0 or more.")
        if len(set(values)) < len(values):
            raise ConfigError(f"evaluation.{name} holds a number twice: {', '.join(map(str, values))}.")


def marks(horizon: int) -> list[int]:
    """The horizons at which single numbers are reported: a quarter, and the whole."""
    return sorted({max(1, horizon // 4), horizon})
