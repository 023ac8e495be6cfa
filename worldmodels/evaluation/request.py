"""Defines the request of `worldmodels eval`. Imports no TensorFlow."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from worldmodels.config.run_config import EvaluationConfig
from worldmodels.core.configuration.sections import from_dict, load_config, to_dict
from worldmodels.core.errors import ConfigError, unknown
from worldmodels.envs.games.levels import LEVELS, Levels
from worldmodels.imagination.planner_config import PLANNERS, PlannerConfig

MODES = ("real", "imagined", "model")
WITHOUT_EFFECT = {
    "model": ("temperatures", "noops", "episodes", "max_steps"),
    "imagined": ("noops", "episodes", "max_steps"),
    "planner": ("context", "horizon", "windows"),
    "random": ("temperatures", "model_temperatures", "context", "horizon", "windows"),
}
"""The settings without an effect, by the mode, or by the agent in the real game."""
AGENTS = ("policy", "planner", "random")


@dataclass(frozen=True)
class Request:
    """A request for one evaluation of a run.

    Raises:
        ConfigError: a value is unknown or out of range, or two of them contradict each other.
    """

    path: str | Path
    """The run's folder."""
    mode: str = "real"
    """`real`: the policy in the real game, and the world model; `imagined`: the policy inside the world model;
    `model`: the world model alone."""
    levels: Levels = "train"
    """The levels that are played: those on which the run was trained; `test`: all others; `unseen`: the others whose
    layout is none of theirs."""
    agent: str = "policy"
    """The player in the real game: the run's `policy`, a `planner` that uses policy and world model, or `random`."""
    planner: Sequence[str] = ("small",)
    """A name in `PLANNERS`, then differences from it, such as `horizon=8`."""
    settings: Mapping[str, Any] = field(default_factory=dict)
    """Fields of `EvaluationConfig` that differ from the run's configuration."""
    step: int | None = None
    """The step of the checkpoint; the newest by default."""
    all_checkpoints: bool = False
    """Whether to evaluate every checkpoint that the run kept."""
    videos: int = 4
    """The number of episodes to film under each setting of the real game; 0 for no video at all."""
    seed: int = 0
    """The seed of everything random in the evaluation. Training draws from other streams, whatever its seed."""

    def __post_init__(self) -> None:
        if self.mode not in MODES:
            raise ConfigError(unknown("mode", self.mode, MODES))
        if self.levels not in LEVELS:
            raise ConfigError(unknown("level set", self.levels, LEVELS))
        if self.agent not in AGENTS:
            raise ConfigError(unknown("agent", self.agent, AGENTS))
        if self.agent != "policy" and self.mode != "real":
            raise ConfigError(
                f"The agent '{self.agent}' plays in the real game: leave out --mode {self.mode}, or --agent."
            )
        if self.all_checkpoints and self.step is not None:
            raise ConfigError("Either all checkpoints or one of them: leave out --all-checkpoints or --checkpoint.")
        who = self.agent if self.mode == "real" else self.mode
        for name in WITHOUT_EFFECT.get(who, ()):
            if name in self.settings:
                flag, kind = name.replace("_", "-"), "agent" if self.mode == "real" else "mode"
                raise ConfigError(f"--{flag} has no effect with --{kind} {who}: leave it out.")
        if self.videos < 0:
            raise ConfigError(f"The number of episodes to film is {self.videos}; it must be 0 or more.")

    @property
    def suffix(self) -> str:
        """The part of the names of files that follows the step: nothing for the policy in the real game."""
        special = self.agent if self.mode == "real" else self.mode
        return ("" if special == "policy" else f"_{special}") + ("" if self.levels == "train" else f"_{self.levels}")

    def resolved(self, own: EvaluationConfig) -> EvaluationConfig:
        """Return the settings of a run's configuration, with those of the request in their place.

        Raises:
            ConfigError: one is unknown or out of range.
        """
        return from_dict(EvaluationConfig, {**to_dict(own), **self.settings}, "the evaluation's settings")

    def planner_config(self) -> PlannerConfig:
        """Return the configuration of the requested planner.

        Raises:
            ConfigError: a name, field or value is unknown or out of range.
        """
        name, *differences = self.planner
        if name not in PLANNERS:
            raise ConfigError(unknown("planner", name, PLANNERS))
        given = [f"{key}={value}" for key, value in to_dict(PLANNERS[name]).items()]
        return load_config(PlannerConfig, [], [*given, *differences])
