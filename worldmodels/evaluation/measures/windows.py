"""Windows of experience that no training has seen, for measuring a world model.

One letter per axis: W windows, L steps, of which the first C, the context, are observed.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from worldmodels.core.errors import ConfigError, UserError
from worldmodels.core.seeding import Streams
from worldmodels.core.types import Batch
from worldmodels.evaluation.measures.model_errors import counting
from worldmodels.replay import ReplayReader
from worldmodels.replay.sampling import draw_windows
from worldmodels.runtime.collect import Collector


def play_windows(env: Any, actor: Any, windows: int, length: int, seed: int, spread: int = 16) -> Batch:
    """Play, and return W = `windows` windows of L = `length` steps, drawn uniformly; they may cross ends of episodes.

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
    for t, (step, _) in enumerate(collector.collect(actor, steps * env.num_envs)):
        (kept,) = np.nonzero((starts <= t) & (t < starts + length))
        for name, values in step._asdict().items():
            getattr(batch, name)[kept, t - starts[kept]] = values[rows[kept]]
    return batch


def held_out_windows(replay: ReplayReader, windows: int, length: int, seed: int) -> Batch | None:
    """Return W = `windows` windows of L = `length` steps from the episodes that a run keeps out of training.

    None while no such episode is that long.
    """
    try:
        return replay.sample(windows, length, Streams(seed).generator("windows"), split="held_out")
    except UserError:
        return None


def check_horizon(windows: Batch, context: int) -> None:
    """Check that some window stays inside one episode up to its end.

    Raises:
        ConfigError: no window does.
    """
    counts = counting(windows.is_last, context)
    if counts[:, -1].any():
        return
    longest = int(counts.sum(1).max())
    raise ConfigError(
        f"evaluation.horizon is {counts.shape[1]}, and none of {len(counts)} recorded windows stays inside one episode "
        f"for so long: the longest does for {longest} steps after the {context} that are observed. "
        + (f"Choose a horizon of at most {longest}." if longest else "Choose a smaller context.")
    )
