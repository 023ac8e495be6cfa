"""Measures the returns of whole runs in either precision.

ppo_return      PPO in the real game, with the Nature network on one frame
dreamer_return  Dreamer's loop, `dreamer_small demo` with fewer steps and more updates for each

Coinrun, easy, 20 levels. Each is an ordinary run folder under runs/precision: the same call continues what is there.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import worldmodels

RUNS = Path(__file__).parents[2] / "runs" / "precision"
EPISODES = 256
COMMON: dict[str, Any] = {
    "env.num_envs": 16,
    "env.num_levels": 20,
    "schedule.evaluate_every": 0,
    "schedule.checkpoint_every": 20_000,
}
PPO: dict[str, Any] = {
    "agent.discount": 0.98,
    "agent.reward_transform": "none",
    "agent.entropy": 0.03,
    "agent.decay": 0,
    "agent.minibatch": 256,
    "training.rollout": 64,
}


def settings_of(what: str, steps: int, precision: str, seed: int) -> tuple[list[str], dict[str, Any]]:
    """Return the presets of a run and its values by dotted keys."""
    presets, own = ["ppo_nature"], PPO
    if what == "dreamer_return":
        # A sixth of the steps is played at random, and at least as many as fill one sequence of each environment.
        own = {"training.prefill": max(steps // 6, 512), "training.fit": 2, "training.improve": 2}
        presets = ["dreamer_small", "demo"]
    return presets, {**COMMON, **own, "training.steps": steps, "precision": precision, "seed": seed}


def measure(what: str, steps: int, precision: str, seed: int) -> dict[str, float]:
    """Train for so many steps, then play; the mean return of the episodes."""
    presets, values = settings_of(what, steps, precision, seed)
    folder = worldmodels.train("coinrun", presets, values, RUNS / f"{what}_{steps}_{precision}_{seed}")
    found = worldmodels.evaluate(folder, episodes=EPISODES, temperatures=(1,), noops=(0,), max_steps=1_000)
    (cell,) = found["returns"]
    return {"return": cell["policy"]["mean"], "return of random play": cell["random"]["mean"]}
