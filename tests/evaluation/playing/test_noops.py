from __future__ import annotations

from types import SimpleNamespace

import numpy as np

from worldmodels.acting.actor import PolicyOutput
from worldmodels.evaluation.playing.noops import NoopActor
from worldmodels.evaluation.playing.policy_returns import evaluate_policy


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
