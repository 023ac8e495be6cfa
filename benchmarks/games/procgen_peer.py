"""Steps Procgen's games for a time and prints their speed; runs in an environment with `procgen2`.

Reads one JSON object per line, {"game", "mode", "num_envs", "seconds"}, and answers each with {"steps_per_second"}.
`env_speed.py` starts it.
"""

import json
import sys
import time

import numpy as np
from procgen import ProcgenGym3Env

SETTLING_CALLS = 20


def speed(game, mode, num_envs, seconds):
    """Steps per second over all environments, observations read, resets included."""
    env = ProcgenGym3Env(num=num_envs, env_name=game, distribution_mode=mode, num_threads=0, rand_seed=0)
    actions = np.random.default_rng(0).integers(0, 15, (512, num_envs)).astype(np.int32)
    calls = -SETTLING_CALLS
    start = time.perf_counter()
    while calls <= 0 or time.perf_counter() - start < seconds:
        if calls == 0:
            start = time.perf_counter()
        env.act(actions[calls % len(actions)])
        env.observe()
        calls += 1
    return calls * num_envs / (time.perf_counter() - start)


for line in sys.stdin:
    print(json.dumps({"steps_per_second": speed(**json.loads(line))}), flush=True)
