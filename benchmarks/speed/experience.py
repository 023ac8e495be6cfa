"""Records games under random actions, for learners to learn from and to be tested on."""

from __future__ import annotations

from typing import Any

import numpy as np

from worldmodels.acting.actor import PolicyOutput, RandomActor
from worldmodels.acting.collect import Collector
from worldmodels.core.seeding import Streams
from worldmodels.core.specs import ActionSpec, Observation
from worldmodels.core.types import Batch
from worldmodels.envs import EnvConfig, make_vec

STREAMS = Streams(0)
ENVS = 16
SHAPE, ACTIONS = (64, 64, 3), 15


class HeldActor(RandomActor):
    """Chooses random actions and holds each for some steps, `hold` in the mean: so that it gets somewhere."""

    def __init__(self, generator: np.random.Generator, hold: float, actions: int = ACTIONS):
        super().__init__(ActionSpec(actions), generator)
        self._hold, self._held = hold, np.zeros(0, np.int32)

    def act(self, observation: Observation, is_first: np.ndarray) -> PolicyOutput:
        drawn = super().act(observation, is_first).action
        if len(self._held):
            drawn = np.where(self._generator.random(len(drawn)) < 1 / self._hold, drawn, self._held)
        self._held = drawn
        return PolicyOutput(drawn)


def record(game: str, name: str, steps: int, hold: float = 1, **options: Any) -> Batch:
    """(ENVS, steps) of levels that the name and the options of `EnvConfig` decide."""
    return record_config(EnvConfig(game=game, num_envs=ENVS, **options), name, steps, hold)


def record_config(config: EnvConfig, name: str, steps: int, hold: float = 1) -> Batch:
    """The same of any environment with discrete actions, which has to be one of ENVS copies."""
    env = make_vec(config)
    actor = HeldActor(STREAMS.generator(name), hold, env.action_spec.count)
    collected = [step.stored() for step, _ in Collector(env, STREAMS.integer(name)).steps(actor, steps)]
    env.close()
    return Batch(*(np.stack(values, 1) for values in zip(*collected, strict=True)))


def windows(recording: Batch, count: int, length: int, generator: np.random.Generator) -> Batch:
    """`count` windows of `length` steps, drawn at random."""
    rows = generator.integers(ENVS, size=count)[:, None]
    times = generator.integers(recording.action.shape[1] - length + 1, size=count)[:, None] + np.arange(length)
    return Batch(*(values[rows, times] for values in recording))
