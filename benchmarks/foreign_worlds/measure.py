"""Measures a run in a foreign environment: `python benchmarks/foreign_worlds/measure.py RUN FILE` writes JSON.

The policy plays whole episodes at temperature 1, the random policy beside it. In Crafter what counts is the score over
all achievements, of an agent that explores the explorer's, and beside that of the policy at the end stands that of all
episodes of its training, which is the paper's.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from worldmodels.analysis.load import load_metrics
from worldmodels.core.files import write_atomic
from worldmodels.core.seeding import Streams
from worldmodels.runtime.quiet import load_tensorflow

if TYPE_CHECKING:
    from worldmodels.runtime.load import LoadedRun

EPISODES = 20
CRAFTER_EPISODES = 100
"""Crafter's are short, and most of its achievements so rare that 20 say little."""
UNLOCKED = "episode/max/unlocked/"
LONGEST = 30_000
"""Steps after which an episode is cut."""


def measure(run: Path) -> dict[str, Any]:
    """Return the step of a run's newest checkpoint, and the returns of its policy and of the random one."""
    load_tensorflow()
    from worldmodels.runtime.actor import ModelActor, RandomActor
    from worldmodels.runtime.load import load_run

    loaded = load_run(run)
    parts, streams = loaded.parts, Streams(0)
    # What explores is to be measured by what it finds.
    agent = getattr(parts.agent, "explorer", parts.agent)
    crafter = loaded.config.env.game.startswith("Crafter")
    count, play = (CRAFTER_EPISODES, _crafter) if crafter else (EPISODES, _returns)
    players = {
        "policy": ModelActor(parts.model, agent, count, streams.key("actor")),
        "random": RandomActor(parts.model.spec.action, streams.generator("random")),
    }
    returns = {name: play(loaded, actor, count) for name, actor in players.items()}
    if crafter:
        returns["training"] = score_in_training(run)
    return {"step": loaded.step, "episodes": count, "returns": returns}


def _returns(loaded: LoadedRun, actor: Any, count: int) -> dict[str, Any]:
    from worldmodels.evaluation.measures.policy_returns import evaluate_policy

    env = loaded.make_env(count)
    try:
        episodes = evaluate_policy(env, actor, count, LONGEST, Streams(0).integer("levels"))
    finally:
        env.close()
    return {"each": episodes.returns.tolist(), "mean": float(episodes.returns.mean())}


def _crafter(loaded: LoadedRun, actor: Any, count: int) -> dict[str, Any]:
    """Return Crafter's score in percent, and the share of episodes in which each achievement was unlocked."""
    from worldmodels.envs.crafter import crafter_score

    env = loaded.make_env(count)
    counts: dict[str, np.ndarray] = {}
    try:
        observation, _ = env.reset(seed=Streams(0).integer("levels"))
        first, playing = np.ones(count, bool), np.ones(count, bool)
        while playing.any():
            observation, _, terminated, truncated, info = env.step(actor.act(observation, first).action)
            for name, reached in info["achievements"].items():
                if not name.startswith("_"):
                    counts[name] = np.where(playing, reached, counts.get(name, np.zeros(count, int)))
            first = terminated | truncated
            playing &= ~first
    finally:
        env.close()
    shares = {name: float((reached > 0).mean()) for name, reached in counts.items()}
    return {"mean": crafter_score(list(shares.values())), "unlocked": shares}


def score_in_training(run: Path) -> dict[str, Any]:
    """Return the like over the episodes of a run's training, from what it has recorded.

    A record holds means over the episodes that ended since the one before. All records are of as many steps, so there
    are as many more episodes in one as these are shorter.
    """
    from worldmodels.envs.crafter import crafter_score

    found = load_metrics(run)
    episodes = 1 / found["episode/length"].values
    shares = {
        name.removeprefix(UNLOCKED): float(np.average(series.values, weights=episodes))
        for name, series in found.items()
        if name.startswith(UNLOCKED)
    }
    return {"mean": crafter_score(list(shares.values())), "unlocked": shares}


if __name__ == "__main__":
    write_atomic(sys.argv[2], json.dumps(measure(Path(sys.argv[1])), allow_nan=False) + "\n")
