"""What a run takes over from another one when it begins: its world model, or what it recorded."""

from __future__ import annotations

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
from worldmodels.runtime.config import LoopConfig, RunConfig
from worldmodels.runtime.environment import build_env, checked_spaces
from worldmodels.training.demonstrations import check_demonstrations

BLOCK = 64
"""Steps of each stream that are copied together."""


def check_sources(config: RunConfig) -> None:
    """Whether the runs named in `config` fit it; before the first tick alone, for they may be gone later.

    Raises:
        RunError: there is no such run.
        ConfigError: its world, model or number of environments is another; the text names both sides.
    """
    if not isinstance(config.training, LoopConfig):
        return
    if config.training.pretrained:
        other = _config_of(config.training.pretrained)
        _same("training.pretrained", other, config, {"model.kind": (other.model.kind, config.model.kind)})
    if config.training.recording:
        other = _config_of(config.training.recording)
        _same("training.recording", other, config, {"env.num_envs": (other.env.num_envs, config.env.num_envs)})
        _check_length(config.training)
    check_demonstrations(config.training.demonstrations, config.env)


def load_pretrained(model: WorldModel, run: str) -> None:
    """The newest world model of another run, with its optimiser; CheckpointError, with both sizes, if none fits."""
    _, tree = Checkpoints(RunDir.open(run).checkpoints).read()
    try:
        model.load(tree["model"])
    except CheckpointError as error:
        raise CheckpointError(f"training.pretrained '{run}': {error}") from error


def copy_recording(run: str, replay: Replay) -> None:
    """Everything that another run still holds, as if it had been played here; which episodes are held out is decided
    here too."""
    recording = ReplayReader(RunDir.open(run).replay)
    for start in range(recording.span.start, recording.span.stop, BLOCK):
        length = min(BLOCK, recording.span.stop - start)
        rows = [recording.window(stream, start, length) for stream in range(recording.num_streams)]
        fields = [np.concatenate(values) for values in zip(*rows, strict=True)]
        for t in range(length):
            step = Step(**{name: values[:, t] for name, values in zip(rows[0]._fields, fields, strict=True)})
            replay.append(step)
    recording.close()


def _config_of(run: str | Path) -> RunConfig:
    return load_config(RunConfig, [RunDir.open(run).config])


def _same(key: str, other: RunConfig, ours: RunConfig, pairs: dict[str, tuple[Any, Any]]) -> None:
    pairs |= {"frames and actions": (_spaces(other), _spaces(ours))}
    for name, (theirs, here) in pairs.items():
        if theirs != here:
            run = getattr(ours.training, key.partition(".")[2])
            raise ConfigError(f"{key} is '{run}', whose {name} is {theirs}; in this run it is {here}.")


def _spaces(config: RunConfig) -> tuple[tuple[int, int, int], int]:
    env = build_env(config, num_envs=1)
    spaces = checked_spaces(config.env.game, env)
    env.close()
    return spaces


def _check_length(training: LoopConfig) -> None:
    reader = ReplayReader(RunDir.open(training.recording).replay)
    held, needed = len(reader.span), max(training.length, training.starts.context)
    reader.close()
    if held < needed:
        raise ConfigError(
            f"training.recording '{training.recording}' holds {held} steps of each environment; training.length and "
            f"training.starts.context need {needed}."
        )
