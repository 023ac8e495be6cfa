"""A foreign environment misbehaves while a run trains: one sentence names it, and the run goes on without the fault."""

from __future__ import annotations

import os
import random
import tempfile
from collections.abc import Iterator
from pathlib import Path

from fault_campaign.outcome import Outcome, scaled
from fault_campaign.runs import WORLDMODELS, finished

MODULE = """
import os, sys
import gymnasium as gym, numpy as np

FAULT, AT = os.environ.get("FAULT", ""), int(os.environ.get("AT", "0"))
GOOD = np.zeros((20, 30, 3), np.uint8)
OBSERVATIONS = {"shape": GOOD[:5], "dtype": GOOD.astype(float), "list": GOOD.tolist(), "none": None, "text": "frame"}
REWARDS = {"infinite": np.inf, "nan": np.nan, "huge": 1e38, "no reward": None, "text reward": "1", "array": np.ones(2)}
FLAG, INFO = (GOOD, 0.0, "no", False, {}), (GOOD, 0.0, False, False, 3)
RESULTS = {"four": (GOOD, 0.0, False, {}), "nothing": None, "flag": FLAG, "info": INFO}

class Rogue(gym.Env):
    observation_space = gym.spaces.Box(0, 255, GOOD.shape, np.uint8)
    action_space = gym.spaces.Discrete(3)
    def __init__(self):
        self.steps = 0
        if FAULT == "make": raise RuntimeError("cannot be made")
    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        return GOOD, {}
    def step(self, action):
        self.steps += 1
        good = (GOOD + self.steps % 200, float(action), self.steps % 20 == 0, False, {})
        if self.steps != AT: return good
        if FAULT == "error": raise KeyError("lost")
        if FAULT == "exit": sys.exit(3)
        if FAULT == "recursion": return self.step_again()
        if FAULT in OBSERVATIONS: return OBSERVATIONS[FAULT], *good[1:]
        if FAULT in REWARDS: return good[0], REWARDS[FAULT], *good[2:]
        return RESULTS.get(FAULT, good)
    def step_again(self):
        return self.step_again()

gym.register("Rogue-v0", Rogue)
"""
FAULTS = (
    *("shape", "dtype", "list", "none", "text", "infinite", "nan", "huge", "no reward", "text reward", "array"),
    *("four", "nothing", "flag", "info", "error", "exit", "recursion", "make"),
)
STEPS = "training.steps=400"


def run(seed: int, scale: float) -> Iterator[Outcome]:
    generator, broke, tried = random.Random(seed), [], 0
    for fault in generator.sample(FAULTS, min(len(FAULTS), scaled(len(FAULTS), scale))):
        preset, at = generator.choice(["debug_ppo", "debug"]), generator.randrange(1, 90)
        tried += 1
        with tempfile.TemporaryDirectory() as name:
            if problem := _tried(Path(name), preset, fault, at):
                broke.append(f"{fault} at step {at} of {preset}: {problem}")
    yield Outcome("runs whose environment misbehaved, told in a sentence, and that continued without it", tried, broke)


def _tried(folder: Path, preset: str, fault: str, at: int) -> str | None:
    (folder / "rogue_world.py").write_text(MODULE)
    words = [
        *WORLDMODELS,
        "train",
        "--config",
        preset,
        "env.game=rogue_world:Rogue-v0",
        STEPS,
        "--logdir",
        str(folder / "run"),
    ]
    path = os.pathsep.join([str(folder), *filter(None, [os.environ.get("PYTHONPATH")])])
    done = finished(words, FAULT=fault, AT=str(at), PYTHONPATH=path)
    if done.returncode != 2 or "Traceback" in done.stdout:
        return f"ended with {done.returncode}: {done.stdout[-400:]!r}"
    last = done.stdout.strip().splitlines()[-1]
    if "Rogue-v0" not in last:
        return f"the environment is not named: {last[-300:]!r}"
    again = finished(words, PYTHONPATH=path)
    return f"without the fault it ended with {again.returncode}: {again.stdout[-300:]!r}" if again.returncode else None
