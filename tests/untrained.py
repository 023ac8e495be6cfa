"""Runs of real networks that have learned nothing yet."""

from __future__ import annotations

from pathlib import Path

from worldmodels.config.run_config import RunConfig
from worldmodels.core.configuration.sections import load_config
from worldmodels.core.files.checkpoint import Checkpoints
from worldmodels.core.files.run_dir import RunDir


def write_untrained_run(folder: Path, presets: list[str], changes: list[str]) -> Path:
    """A run folder with a first checkpoint; its path."""
    from worldmodels.acting.build import build_parts
    from worldmodels.config.environment import build_env

    config = load_config(RunConfig, presets, changes)
    run = RunDir.create(folder, config, {})
    env = build_env(config, num_envs=1)
    parts = build_parts(config, env)
    env.close()
    Checkpoints(run.checkpoints).write(0, {"model": parts.model.save(), "agent": parts.agent.save()})
    return run.path
