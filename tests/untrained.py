"""Runs of real networks that have learned nothing yet."""

from __future__ import annotations

from pathlib import Path

from worldmodels.core.checkpoint import Checkpoints
from worldmodels.core.config import load_config
from worldmodels.core.run_dir import RunDir
from worldmodels.runtime.config import RunConfig


def write_untrained_run(folder: Path, presets: list[str], changes: list[str]) -> Path:
    """A run folder with a first checkpoint; its path."""
    from worldmodels.runtime.build import build_parts
    from worldmodels.runtime.environment import build_env

    config = load_config(RunConfig, presets, changes)
    run = RunDir.create(folder, config, {})
    env = build_env(config, num_envs=1)
    parts = build_parts(config, env)
    env.close()
    Checkpoints(run.checkpoints).write(0, {"model": parts.model.save(), "agent": parts.agent.save()})
    return run.path
