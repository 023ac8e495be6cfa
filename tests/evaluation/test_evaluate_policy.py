from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest

from worldmodels.core.seeding import Streams
from worldmodels.evaluation.noops import NoopActor
from worldmodels.evaluation.normalisation import RANGES, normalised_return
from worldmodels.evaluation.policy import evaluate_policy


def test_each_environment_plays_one_episode_and_every_one_counts(parts: SimpleNamespace) -> None:
    # The environment of two steps could end five episodes while the last one ends its first.
    env = parts.CountingEnv([2, 5, 10])
    played = evaluate_policy(env, parts.ConstantActor(3), episodes=3, max_steps=20, seed=0)
    assert played.returns.tolist() == [6, 15, 30]
    assert played.lengths.tolist() == [2, 5, 10]
    assert played.finished.tolist() == [True, True, True]
    assert played.unfinished == 0
    assert played.estimate()[:2] == (3, 17)


def test_an_episode_that_is_cut_counts_as_unfinished_with_what_it_earned(parts: SimpleNamespace) -> None:
    played = evaluate_policy(parts.CountingEnv([2, 5, 10]), parts.ConstantActor(3), 3, max_steps=5, seed=0)
    assert played.returns.tolist() == [6, 15, 15]
    assert played.lengths.tolist() == [2, 5, 5]
    assert played.finished.tolist() == [True, True, False]
    assert played.unfinished == 1


def test_rounds_are_seeded_anew_and_the_last_one_counts_its_first_environments(parts: SimpleNamespace) -> None:
    env = parts.CountingEnv([2, 5, 10])
    played = evaluate_policy(env, parts.ConstantActor(1), episodes=5, max_steps=20, seed=7)
    assert played.returns.tolist() == [2, 5, 10, 2, 5]
    assert env.seeds == [Streams(7).integer("levels 0"), Streams(7).integer("levels 1")]
    again = parts.CountingEnv([2, 5, 10])
    evaluate_policy(again, parts.ConstantActor(4), episodes=5, max_steps=20, seed=7)
    assert again.seeds == env.seeds


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
    actions = [actor.act(image, np.array(flag)).tolist() for flag in flags]
    assert actions == [[4, 4], [2, 4], [2, 4], [2, 4]]
    assert inner.corrected == actions


def test_returns_with_noops_hold_the_noops_rewards(parts: SimpleNamespace) -> None:
    # Rewards are the actions: with action 3 for no-op and 1 otherwise, the return is the length and 2 for each no-op.
    played = evaluate_policy(
        parts.CountingEnv([10] * 8), parts.ConstantActor(1), 8, max_steps=20, seed=0, noops=4, noop_action=3
    )
    counts = (played.returns - 10) / 2
    assert counts.min() >= 1 and counts.max() <= 4 and len(set(counts)) > 1


@pytest.mark.parametrize(
    ("game", "mode", "value", "expected"),
    [("coinrun", "easy", 7.5, 0.5), ("starpilot", "hard", 35, 1.0), ("fruitbot", "easy", -1.5, 0.0)],
)
def test_returns_on_the_common_scale(game: str, mode: str, value: float, expected: float) -> None:
    assert normalised_return(game, mode, value) == expected


def test_what_has_no_published_range_has_no_normalised_return() -> None:
    assert normalised_return("coinrun", "memory", 5) is None
    assert normalised_return("coinrun_platforms", "easy", 5) is None
    assert {mode: len(games) for mode, games in RANGES.items()} == {"easy": 16, "hard": 16}
