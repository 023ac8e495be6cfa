"""Experience that no training has seen, for measuring a world model."""

from __future__ import annotations

from typing import Any

import numpy as np

from worldmodels.core.seeding import Streams
from worldmodels.core.types import Batch
from worldmodels.replay.sampling import draw_windows
from worldmodels.runtime.collect import Collector


def record_windows(env: Any, actor: Any, windows: int, length: int, seed: int, spread: int = 16) -> Batch:
    """Plays, and keeps `windows` windows of `length` steps (W, L), drawn uniformly; they may cross ends of episodes.

    They are drawn before anything is played, so that only what is kept takes memory.

    Args:
        env: a vector environment in NEXT_STEP mode. It is reset.
        seed: of levels and windows: one that training never used.
        spread: each environment plays this many times the length of a window, so that windows lie not only at the
            beginnings of episodes.
    """
    streams = Streams(seed)
    steps = spread * length
    rows, starts = draw_windows(env.num_envs, range(steps), windows, length, streams.generator("windows"))
    shape = (windows, length)
    types = (np.float32, bool, bool, bool, np.int32)
    images = np.empty((*shape, *env.single_observation_space.shape), np.uint8)
    batch = Batch._make([images, *(np.empty(shape, kind) for kind in types)])
    collector = Collector(env, streams.integer("levels"))
    for t, step in enumerate(collector.collect(actor, steps * env.num_envs)):
        (kept,) = np.nonzero((starts <= t) & (t < starts + length))
        for name, values in step._asdict().items():
            getattr(batch, name)[kept, t - starts[kept]] = values[rows[kept]]
    return batch
