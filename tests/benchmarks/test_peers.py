"""Both sides of the classic methods' benchmark are measured in the same episodes."""

from __future__ import annotations

from typing import Any

import gymnasium as gym
import numpy as np
from peers.measure import EPISODES, LONGEST, SEED_OF_EPISODES, episode_seeds

from worldmodels.core.config import load_config
from worldmodels.evaluation.measures.policy_returns import evaluate_policy
from worldmodels.runtime.actor import RandomActor
from worldmodels.runtime.config import RunConfig
from worldmodels.runtime.environment import build_env, model_spec


def test_an_episode_begins_where_that_of_the_other_side_does() -> None:
    config = load_config(RunConfig, ["sac"], ["env.game=Pendulum-v1"])
    actor = RandomActor(model_spec(config).action, np.random.default_rng(0))
    seen: list[Any] = []

    def note(step: Any, *_: Any) -> None:
        seen.append(step.observation)

    evaluate_policy(build_env(config, EPISODES), actor, EPISODES, LONGEST, SEED_OF_EPISODES + 3, observer=note)
    other = gym.make("Pendulum-v1")
    begun = [other.reset(seed=seed)[0] for seed in episode_seeds(3)]
    np.testing.assert_array_equal(seen[0], begun)
