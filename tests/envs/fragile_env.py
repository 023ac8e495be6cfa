"""An environment that breaks when it is told to, in a module that worker processes can import.

They could not import the test: some package installs a `tests` of its own, which hides the folder of that name.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import sys
import time

import gymnasium as gym
import numpy as np

SHAPE = (20, 30, 3)


class Fragile(gym.Env):
    """Four steps of noise from its seed, which info counts; in its third step action 1 kills it, 2 raises, and so
    on."""

    observation_space = gym.spaces.Dict(
        {"eye": gym.spaces.Box(0, 255, SHAPE, np.uint8), "touch": gym.spaces.Box(-1, 1, (2,), np.float64)}
    )
    action_space = gym.spaces.Discrete(7)

    def __init__(self, slow_to_close=False):
        self.slow_to_close = slow_to_close

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.steps = 0
        return self._show(), {"secret": object()}

    def step(self, action):
        self.steps += 1
        shown, reward = self._show(), float(action)
        if self.steps == 3:
            if action == 1:
                os.kill(os.getpid(), signal.SIGKILL)
            if action == 2:
                raise ZeroDivisionError("by nothing")
            if action == 3:
                reward = np.nan
            if action == 4:
                shown["eye"] = shown["eye"][:5]
        return shown, reward, self.steps == 4, False, {"steps": self.steps, "bag": {"action": np.int64(action)}}

    def close(self):
        while self.slow_to_close and multiprocessing.parent_process() is not None:
            time.sleep(1)

    def _show(self):
        return {"eye": self.np_random.integers(0, 256, SHAPE, np.uint8), "touch": self.np_random.uniform(-1, 1, 2)}


class Mute(Fragile):
    """It cannot be made anywhere but in the process of the test."""

    def __init__(self):
        super().__init__()
        if multiprocessing.parent_process() is not None:
            sys.exit(3)


def made_nowhere_else():
    if multiprocessing.parent_process() is not None:
        os._exit(3)
    return Fragile()
