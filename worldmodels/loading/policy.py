"""A run's policy, to act with in a loop of one's own."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from worldmodels.acting.actor import ModelActor
from worldmodels.acting.build import Parts
from worldmodels.core.seeding import Streams
from worldmodels.core.specs import Observation


class Policy:
    """The model and the agent of a run, which choose actions for N environments and remember what they saw.

        run = worldmodels.load("runs/pendulum")
        env, policy = run.make_env(), run.policy(deterministic=True)
        observation, _ = env.reset(seed=0)
        is_first, ended = np.ones(1, bool), np.zeros(1, bool)
        for _ in range(1000):
            observation, reward, terminated, truncated, _ = env.step(policy(observation, is_first))
            is_first, ended = ended, terminated | truncated  # the step after an episode's last one begins the next

    Args:
        parts: of the run.
        num_envs: N.
        temperature: of the samples; 0 takes the most probable action.
        seed: of the samples.
    """

    def __init__(self, parts: Parts, num_envs: int, temperature: float, seed: int):
        self._actor = ModelActor(parts.model, parts.agent, num_envs, Streams(seed).key("policy"), temperature)

    def __call__(self, observation: Observation, is_first: npt.NDArray[np.bool_]) -> npt.NDArray[np.generic]:
        """Return an action for each environment.

        Args:
            observation: leading N, as a vector environment of `make_env` gives it.
            is_first: bool (N,), which of them begin an episode.
        """
        return self._actor.act(observation, is_first).action
