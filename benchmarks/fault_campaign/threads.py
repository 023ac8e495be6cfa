"""Several threads of Python use one vector environment: it tells them so, and nothing hangs or crashes."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator

from fault_campaign.outcome import Outcome, scaled

PROCESSES = 12
SECONDS = 60
PROGRAM = """
import random, sys, threading
import numpy as np
from worldmodels.core.errors import UserError
from worldmodels.envs import GAMES, make_vec
generator = random.Random(int(sys.argv[1]))
sizes = dict(num_envs=generator.choice([2, 16, 64]), num_threads=generator.choice([1, 2, 3]))
env = make_vec(generator.choice(list(GAMES)), **sizes)
env.reset(seed=1)
states, told = env.get_state(), []
def use(number):
    own = random.Random(number)
    for _ in range(400):
        try:
            call = own.choice(["step", "step", "step", "reset", "get_state", "set_state"])
            if call == "step": env.step(np.zeros(env.num_envs, np.int64))
            elif call == "set_state": env.set_state(states)
            else: getattr(env, call)()
        except UserError as error:
            told.append(str(error))
threads = [threading.Thread(target=use, args=(number,)) for number in range(3)]
for thread in threads: thread.start()
for thread in threads: thread.join()
env.reset(seed=1)
assert env.get_state() == states
assert all("thread" in text for text in told), told[0]
"""


def run(seed: int, scale: float) -> Iterator[Outcome]:
    broke, tried = [], scaled(PROCESSES, scale)
    for number in range(tried):
        words = [sys.executable, "-c", PROGRAM, str(1000 * seed + number)]
        try:
            done = subprocess.run(words, capture_output=True, text=True, timeout=SECONDS, check=False)
        except subprocess.TimeoutExpired:
            broke.append(f"seed {1000 * seed + number}: hangs")
            continue
        if done.returncode:
            broke.append(f"seed {1000 * seed + number}: {done.stderr[-300:]}")
    yield Outcome("processes whose three threads use one environment, 1,200 calls each", tried, broke)
