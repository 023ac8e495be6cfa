"""Measures a run of ours as the peer measures its own: `python benchmarks/peers/measure.py RUN SEED FILE`."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import numpy as np

from worldmodels.analysis.runs.records import load_metrics
from worldmodels.core.files.writing import write_atomic
from worldmodels.core.seeding import Streams
from worldmodels.loading.quiet import load_tensorflow

EPISODES = 20
"""Episodes of the measurement at the end, with the most probable actions."""
SEED_OF_EPISODES = 10_000
LONGEST = 10_000


def episode_seeds(seed: int) -> list[int]:
    """Return the seeds of a run's episodes: those that `evaluate_policy` gives to as many copies, in one round."""
    first = Streams(SEED_OF_EPISODES + seed).integer("levels 0")
    return [first + copy for copy in range(EPISODES)]


def measure(run: Path, seed: int) -> dict[str, Any]:
    """Return the returns of deterministic episodes, and the curve of training: steps, mean return, seconds."""
    load_tensorflow()
    from worldmodels.acting.actor import ModelActor
    from worldmodels.evaluation.playing.policy_returns import evaluate_policy
    from worldmodels.loading.load import load_run

    loaded = load_run(run)
    env = loaded.make_env(EPISODES)
    actor = ModelActor(loaded.parts.model, loaded.parts.agent, EPISODES, Streams(seed).key("test"), temperature=0.0)
    try:
        episodes = evaluate_policy(env, actor, EPISODES, LONGEST, SEED_OF_EPISODES + seed)
    finally:
        env.close()
    return {"returns": [float(x) for x in episodes.returns], "curve": curve(run)}


def curve(run: Path) -> list[list[float | None]]:
    """Return a point for each record: steps, mean return of the episodes that ended since the last, seconds so far.

    The seconds are those of training alone, from the rates that the run recorded.
    """
    metrics = load_metrics(run)
    returns = dict(
        zip(metrics["episode/return"].steps.tolist(), metrics["episode/return"].values.tolist(), strict=True)
    )
    steps, rates = metrics["time/env_steps_per_second"]
    seconds = np.cumsum(np.diff(steps, prepend=0) / rates)
    return [[step, returns.get(step), spent] for step, spent in zip(steps.tolist(), seconds.tolist(), strict=True)]


if __name__ == "__main__":
    write_atomic(sys.argv[3], json.dumps(measure(Path(sys.argv[1]), int(sys.argv[2])), allow_nan=False) + "\n")
