from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np

from worldmodels.acting.actor import PolicyOutput
from worldmodels.core.seeding import Streams
from worldmodels.envs.config import InfoConfig
from worldmodels.evaluation.playing.policy_returns import NoopActor, evaluate_policy


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


def test_noops_come_first_and_the_actor_learns_of_them(parts: SimpleNamespace) -> None:
    class Script:
        """1, then 3 no-ops to begin with; the draws at later steps do not matter."""

        draws = iter([[1, 3], [9, 9], [9, 9], [9, 2]])

        def integers(self, low: int, high: int, size: int) -> np.ndarray:
            assert (low, high, size) == (1, 4, 2)
            return np.array(next(self.draws))

    inner = parts.ConstantActor(2)
    actor = NoopActor(inner, 3, 4, Script())
    image = np.zeros((2, 2, 2, 3), np.uint8)
    flags = [[True, True], [False, False], [False, False], [False, True]]
    actions = [actor.act(image, np.array(flag)).action.tolist() for flag in flags]
    assert actions == [[4, 4], [2, 4], [2, 4], [2, 4]]
    assert inner.corrected == actions


def test_in_a_box_each_number_is_that_of_a_noop() -> None:
    class Pusher:
        """Pushes with all that it has, in every environment."""

        def act(self, observation: np.ndarray, is_first: np.ndarray) -> PolicyOutput:
            return PolicyOutput(np.ones((2, 3), np.float32))

        def correct(self, action: np.ndarray) -> None:
            self.corrected = action

    class Draws:
        def integers(self, low: int, high: int, size: int) -> np.ndarray:
            return np.array([1, 2])

    actor = NoopActor(Pusher(), 2, 0, Draws())
    flags = [[True, True], [False, False], [False, False]]
    taken = [actor.act(np.zeros((2, 1), np.float32), np.array(flag)).action for flag in flags]
    assert [action.tolist() for action in taken] == [[[0] * 3] * 2, [[1] * 3, [0] * 3], [[1] * 3] * 2]
    assert {action.dtype for action in taken} == {np.dtype(np.float32)}


def test_returns_with_noops_hold_the_noops_rewards(parts: SimpleNamespace) -> None:
    # Rewards are the actions: with action 0 for no-op and 1 otherwise, the return is the length without the no-ops.
    played = evaluate_policy(parts.CountingEnv([10] * 8), parts.ConstantActor(1), 8, max_steps=20, seed=0, noops=4)
    counts = 10 - played.returns
    assert counts.min() >= 1 and counts.max() <= 4 and len(set(counts)) > 1
