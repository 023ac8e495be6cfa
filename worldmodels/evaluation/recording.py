"""Experience that no training has seen, for measuring a world model."""

from __future__ import annotations

from typing import Any

import numpy as np

from worldmodels.core.seeding import Streams
from worldmodels.core.types import Batch
from worldmodels.replay.sampling import draw_windows
from worldmodels.runtime.collect import Collector

SPREAD = 16
"""Each environment plays this many times the length of a window, so that windows lie anywhere in its episodes."""


def record_windows(env: Any, actor: Any, windows: int, length: int, seed: int) -> Batch:
    """Plays, and keeps `windows` windows of `length` steps (W, L), drawn uniformly; they may cross ends of episodes.

    They are drawn before anything is played, so that only what is kept takes memory.

    Args:
        env: a vector environment in NEXT_STEP mode. It is reset.
        seed: of levels and windows: one that training never used.
    """
    streams = Streams(seed)
    steps = SPREAD * length
    rows, starts = draw_windows(env.num_envs, range(steps), windows, length, streams.generator("windows"))
    shape = (windows, length)
    batch = Batch(
        np.empty((*shape, *env.single_observation_space.shape), np.uint8),
        np.empty(shape, np.float32),
        *(np.empty(shape, bool) for _ in range(3)),
        np.empty(shape, np.int32),
    )
    collector = Collector(env, streams.integer("levels"))
    for t, step in enumerate(collector.collect(actor, steps * env.num_envs)):
        (kept,) = np.nonzero((starts <= t) & (t < starts + length))
        for name, values in step._asdict().items():
            getattr(batch, name)[kept, t - starts[kept]] = values[rows[kept]]
    return batch
