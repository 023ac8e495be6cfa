"""The world model of a run as a Gymnasium vector environment, from its folder alone."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from worldmodels.imagination.replay_starts import ReplayStarts
from worldmodels.imagination.vector_env import ImaginedVectorEnv
from worldmodels.replay import ReplayReader
from worldmodels.runtime.load import load_run


def dream(path: str | Path, step: int | None = None, context: int | None = None, **options: Any) -> ImaginedVectorEnv:
    """Return the world model of a run as a vector environment, whose episodes start where recorded ones continue.

    Args:
        path: the run's folder.
        step: of the checkpoint; the newest one by default.
        context: recorded frames that the model sees before it goes on alone; by default as many as in the run's
            evaluation.
        options: of `ImaginedVectorEnv`: num_envs, horizon, temperature, observe, autoreset_mode, render_mode.

    Raises:
        UserError: no such run, no whole checkpoint, a run without a world model, or too little recorded experience.
    """
    run = load_run(path, step)
    starts = ReplayStarts(ReplayReader(run.run_dir.replay), context or run.config.evaluation.context)
    return ImaginedVectorEnv(run.parts.world_model, starts, **options)
