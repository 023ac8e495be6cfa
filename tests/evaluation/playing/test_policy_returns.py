from __future__ import annotations

from typing import Any

import numpy as np

from worldmodels.core.seeding import Streams
from worldmodels.envs.config import InfoConfig
from worldmodels.evaluation.playing.policy_returns import evaluate_policy


def test_each_environment_plays_one_episode_and_every_one_counts(parts: Any) -> None:
    # The environment of two steps could end five episodes while the last one ends its first.
    env = parts.CountingEnv([2, 5, 10])
    played = evaluate_policy(env, parts.ConstantActor(3), episodes=3, max_steps=20, seed=0)
    assert played.returns.tolist() == [6, 15, 30]
    assert played.lengths.tolist() == [2, 5, 10]
    assert played.finished.tolist() == [True, True, True]
    assert played.unfinished == 0
    assert played.estimate()[:2] == (3, 17)


def test_an_episode_that_is_cut_counts_as_unfinished_with_what_it_earned(parts: Any) -> None:
    played = evaluate_policy(parts.CountingEnv([2, 5, 10]), parts.ConstantActor(3), 3, max_steps=5, seed=0)
    assert played.returns.tolist() == [6, 15, 15]
    assert played.lengths.tolist() == [2, 5, 5]
    assert played.finished.tolist() == [True, True, False]
    assert played.unfinished == 1


def test_rounds_are_seeded_anew_and_the_last_one_counts_its_first_environments(parts: Any) -> None:
    env = parts.CountingEnv([2, 5, 10])
    played = evaluate_policy(env, parts.ConstantActor(1), episodes=5, max_steps=20, seed=7)
    assert played.returns.tolist() == [2, 5, 10, 2, 5]
    assert env.seeds == [Streams(7).integer("levels 0"), Streams(7).integer("levels 1")]
    again = parts.CountingEnv([2, 5, 10])
    evaluate_policy(again, parts.ConstantActor(4), episodes=5, max_steps=20, seed=7)
    assert again.seeds == env.seeds


def test_clipped_returns_clip_each_reward_before_they_are_summed(parts: Any) -> None:
    class Scripted(parts.CountingEnv):
        """Pays 3, -2, 0.5 and then nothing."""

        def step(self, action: np.ndarray) -> tuple:
            images, _, *rest = super().step(action)
            paid = np.array([0, 3, -2, 0.5, 0, 0, 0], np.float32)
            return images, paid[self.t], *rest

    played = evaluate_policy(Scripted([1, 2, 5]), parts.ConstantActor(0), episodes=3, max_steps=20, seed=0)
    assert played.returns.tolist() == [3, 1, 1.5]
    assert played.clipped_returns.tolist() == [1, 0, 0.5]
    assert played.clipped_estimate().mean == 0.5


def test_what_infos_tell_is_recorded_of_each_episode(parts: Any) -> None:
    class Telling(parts.CountingEnv):
        """Tells the step of the episode, three times."""

        def step(self, action: np.ndarray) -> tuple:
            *others, _ = super().step(action)
            return *others, {"recorded": np.repeat(self.t[:, None], 3, axis=1).astype(np.float32)}

        def reset(self, seed: int | None = None) -> tuple:
            return super().reset(seed)[0], {"recorded": np.full((self.num_envs, 3), np.nan, np.float32)}

    info = InfoConfig(sum=("t",), mean=("t",), max=("t",))
    played = evaluate_policy(Telling([2, 5, 10]), parts.ConstantActor(3), 4, max_steps=6, seed=0, info=info)
    # The third one is cut after 6 steps: 1 + ... + 6 = 21. A second round begins with the first one again.
    assert played.info["sum/t"].tolist() == [3, 15, 21, 3]
    assert played.info["mean/t"].tolist() == [1.5, 3, 3.5, 1.5]
    assert played.info["max/t"].tolist() == [2, 5, 6, 2]
    assert played.info_means() == {"sum/t": 10.5, "mean/t": 2.375, "max/t": 3.75}
