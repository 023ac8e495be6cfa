"""The sources of a new run: the world model or the experience of another run, and demonstrations."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from worldmodels.core.checkpoint import Checkpoints
from worldmodels.core.config import load_config
from worldmodels.core.errors import CheckpointError, ConfigError
from worldmodels.core.run_dir import RunDir
from worldmodels.core.types import Step
from worldmodels.models.api import WorldModel
from worldmodels.replay import Replay, ReplayReader
from worldmodels.runtime.config import ModelBasedConfig, RunConfig
from worldmodels.runtime.environment import build_env
from worldmodels.training.demonstrations import load_demonstrations

BLOCK = 64
"""Steps of each stream that are copied together."""


@dataclass(frozen=True)
class Sources:
    """The steps that were found when the sources of a new run were checked."""

    replay_steps: int = 0
    """Steps in the replay store of `training.initial_replay`, summed over the environments."""
    demonstrations: Sequence[Step] = ()
    """The steps of `training.demonstrations`, of all environments."""

    @property
    def steps(self) -> int:
        """The steps that the run starts with, summed over the environments."""
        return self.replay_steps + sum(len(step.reward) for step in self.demonstrations)


def check_sources(config: RunConfig) -> Sources:
    """Check whether the runs and recordings named in `config` fit it; of a new run alone, for they may be gone later.

    Raises:
        RunError: there is no such run.
        ConfigError: its environment, model or number of environments is another; the text names both sides.
        RecordingError: a demonstration is damaged, or does not agree with its game.
    """
    training = config.training
    if not isinstance(training, ModelBasedConfig):
        return Sources()
    if training.pretrained:
        other = _config_of(training.pretrained)
        _check_same("training.pretrained", other, config, {"model.kind": (other.model.kind, config.model.kind)})
    replay_steps = 0
    if training.initial_replay:
        other = _config_of(training.initial_replay)
        sizes = {"env.num_envs": (other.env.num_envs, config.env.num_envs)}
        _check_same("training.initial_replay", other, config, sizes)
        replay_steps = _check_length(training) * config.env.num_envs
    return Sources(replay_steps, load_demonstrations(training.demonstrations, config.env))


def load_pretrained(model: WorldModel, run: str) -> None:
    """Load the newest world model of another run, with its optimiser.

    Raises:
        CheckpointError: it does not fit; the text names both sizes.
    """
    _, tree = Checkpoints(RunDir.open(run).checkpoints).read()
    try:
        model.load(tree["model"])
    except CheckpointError as error:
        raise CheckpointError(f"training.pretrained '{run}': {error}") from error


def copy_replay(run: str, replay: Replay) -> None:
    """Append everything that another run still holds; which episodes are held out is decided anew."""
    source = ReplayReader(RunDir.open(run).replay)
    for start in range(source.span.start, source.span.stop, BLOCK):
        length = min(BLOCK, source.span.stop - start)
        rows = [source.window(stream, start, length) for stream in range(source.num_streams)]
        fields = [np.concatenate(values) for values in zip(*rows, strict=True)]
        for t in range(length):
            step = Step(**{name: values[:, t] for name, values in zip(rows[0]._fields, fields, strict=True)})
            replay.append(step)
    source.close()


def _config_of(run: str | Path) -> RunConfig:
    return load_config(RunConfig, [RunDir.open(run).config])


def _check_same(key: str, other: RunConfig, ours: RunConfig, pairs: dict[str, tuple[Any, Any]]) -> None:
    pairs |= {"observations and actions": (_spaces(other), _spaces(ours))}
    for name, (theirs, here) in pairs.items():
        if theirs != here:
            run = getattr(ours.training, key.partition(".")[2])
            raise ConfigError(f"{key} is '{run}', whose {name} is {theirs}; in this run it is {here}.")


def _spaces(config: RunConfig) -> str:
    env = build_env(config, num_envs=1)
    spaces = f"{env.observation_spec} and {env.action_spec}"
    env.close()
    return spaces


def _check_length(training: ModelBasedConfig) -> int:
    """Return the steps of each environment in `training.initial_replay`."""
    reader = ReplayReader(RunDir.open(training.initial_replay).replay)
    held, needed = len(reader.span), max(training.length, training.starts.context)
    reader.close()
    if held < needed:
        raise ConfigError(
            f"training.initial_replay '{training.initial_replay}' holds {held} steps of each environment; "
            f"training.length and training.starts.context need {needed}."
        )
    return held
