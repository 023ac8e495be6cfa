"""What the learners learn from and are tested on: a game under random actions."""

from __future__ import annotations

import numpy as np

from worldmodels.core.seeding import Streams
from worldmodels.core.types import Batch
from worldmodels.envs import EnvConfig, make_vec
from worldmodels.runtime.actor import RandomActor
from worldmodels.runtime.collect import Collector

STREAMS = Streams(0)
ENVS = 16
SHAPE, ACTIONS = (64, 64, 3), 15


def record(game: str, name: str, steps: int) -> Batch:
    """(ENVS, steps) of levels that the name decides."""
    env = make_vec(EnvConfig(game=game, num_envs=ENVS))
    actor = RandomActor(ACTIONS, STREAMS.generator(name))
    collected = [step for step, _ in Collector(env, STREAMS.integer(name)).collect(actor, ENVS * steps)]
    env.close()
    return Batch(*(np.stack(values, 1) for values in zip(*collected, strict=True)))


def windows(recording: Batch, count: int, length: int, generator: np.random.Generator) -> Batch:
    """`count` windows of `length` steps, drawn at random."""
    rows = generator.integers(ENVS, size=count)[:, None]
    times = generator.integers(recording.action.shape[1] - length + 1, size=count)[:, None] + np.arange(length)
    return Batch(*(values[rows, times] for values in recording))
