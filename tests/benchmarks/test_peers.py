"""Both sides of the classic methods' benchmark are measured in the same episodes."""

from __future__ import annotations

from typing import Any

import gymnasium as gym
import numpy as np
from peers.measure import EPISODES, LONGEST, SEED_OF_EPISODES, episode_seeds
from peers.report import report
from peers.tasks import Cell

from worldmodels.acting.actor import RandomActor
from worldmodels.config.environment import build_env, model_spec
from worldmodels.config.run_config import RunConfig
from worldmodels.core.configuration.sections import load_config
from worldmodels.evaluation.playing.policy_returns import evaluate_policy


def test_few_seeds_are_shown_one_by_one_and_more_have_an_interval() -> None:
    def run(mean: float) -> dict[str, Any]:
        # 100 steps in each second, from the first quarter on.
        made = {"job": {}, "made_by": {"last_changed_at": "abc1234"}}
        return {"processor": "Some CPU", "returns": [mean - 1, mean + 1], "curve": [[0, 1, 0], [200, 1, 2]], **made}

    ours = {Cell("hopper", "sac", "ours", seed): run(10.0 * seed) for seed in (1, 2, 3)}
    peer = {Cell("hopper", "sac", "peer", seed): run(10.0 * seed) for seed in (1, 2)}
    # Student's t with two degrees of freedom: 4.303 standard errors of 10 / sqrt(3).
    assert "| Hopper | SAC | 200,000 | 20.0 (-4.8 to 44.8) | 15.0 (10.0, 20.0) | 3, 2 |" in report("", ours | peer)
    assert "| SAC | Hopper | Some CPU | 100 | 100 | 1.00 |" in report("", ours | peer)


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
