"""Measures the memory, the construction and the state of one environment.

    python benchmarks/games/footprint.py GAME MODE     # one line of JSON

A process of its own for each game and mode, so that the memory of another game is not used again. Linux only, as it
reads the resident size of the process.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from pathlib import Path
from statistics import mean, median

import numpy as np

from worldmodels.envs.games.vector_env import GameVectorEnv

NUM_ENVS = 512
FEW_ENVS = 64
STEPS = 200


def footprint(game: str, mode: str) -> dict[str, float]:
    """Measured in a fresh process.

    Gives kB of memory per environment, the caller's arrays (12 kB of frame) included; ms to construct 64 environments;
    bytes of a saved state and microseconds to save it.
    """
    script = str(Path(__file__).resolve())
    done = subprocess.run([sys.executable, script, game, mode], capture_output=True, text=True, check=True)
    return json.loads(done.stdout)


def _measure(game: str, mode: str) -> dict[str, float]:
    _played(game, mode, FEW_ENVS)  # paints what all environments of the process share
    before = _resident_bytes()
    envs = _played(game, mode, NUM_ENVS)
    kilobytes = (_resident_bytes() - before) / NUM_ENVS / 1000
    start = time.perf_counter()
    states = envs.get_state()
    seconds = time.perf_counter() - start
    return {
        "kilobytes": round(kilobytes, 1),
        "construction_ms": round(median(_construction_ms(game, mode) for _ in range(5)), 1),
        "state_bytes": round(mean(map(len, states))),
        "state_us": round(seconds / NUM_ENVS * 1e6, 1),
    }


def _played(game: str, mode: str, num_envs: int) -> GameVectorEnv:
    envs = GameVectorEnv(game, num_envs, distribution_mode=mode, reuse_buffers=True)
    envs.reset(seed=0)
    for actions in np.random.default_rng(0).integers(0, 15, (STEPS, num_envs)).astype(np.int32):
        envs.step(actions)
    return envs


def _construction_ms(game: str, mode: str) -> float:
    start = time.perf_counter()
    envs = GameVectorEnv(game, FEW_ENVS, distribution_mode=mode)
    seconds = time.perf_counter() - start
    del envs
    return seconds * 1000


def _resident_bytes() -> int:
    return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")


if __name__ == "__main__":
    print(json.dumps(_measure(*sys.argv[1:3])))
