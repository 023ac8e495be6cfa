from __future__ import annotations

import math
from types import SimpleNamespace

import numpy as np
import pytest

from worldmodels.evaluation.measures.action_effects import action_metrics, compare_outcomes, real_outcomes
from worldmodels.evaluation.predictions.open_loop import Outcomes


class Walk:
    """Two walkers on a line; action 0 stays, action 1 goes on. Place 3 pays 1 and ends the episode."""

    num_envs, single_action_space = 2, SimpleNamespace(n=2)

    def set_state(self, states: list[bytes]) -> None:
        self.places = np.array([state[0] for state in states])

    def observe(self) -> np.ndarray:
        return np.broadcast_to(self.places[:, None, None, None], (2, 1, 1, 1)).astype(np.uint8)

    def step(self, action: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, dict]:
        self.places = np.where(self.places >= 3, 0, self.places + action)  # the step after the end begins anew
        end = self.places == 3
        return self.observe(), end.astype(np.float32), end, np.zeros(2, bool), {}


def test_every_action_starts_at_the_same_moment_and_stops_at_the_end() -> None:
    real = real_outcomes(Walk(), [bytes([0]), bytes([2])], steps=2)
    assert real.frame[:, :, 0, 0, 0].tolist() == [[0, 2], [2, 3]]
    assert real.reward.tolist() == [[0, 0], [0, 1]]
    assert real.ended.tolist() == [[False, False], [False, True]]


def outcomes(frames: list[list[int]], rewards: list[list[float]], ended: list[list[bool]] | None = None) -> Outcomes:
    frame = np.array(frames, np.uint8)[:, :, None, None, None]
    return Outcomes(frame, np.array(rewards, float), np.zeros(frame.shape[:2], bool) if ended is None else ended)


def test_the_share_of_the_difference_that_is_reproduced_by_hand() -> None:
    none = [[0.0], [0.0]]
    real = outcomes([[0], [100]], none)
    # Each action is 50 from the mean, and in the model 25, about another mean: a quarter of the variance is left.
    effects = compare_outcomes([(real, outcomes([[125], [175]], none))], 5)
    assert effects.reproduced == pytest.approx(0.75)
    assert compare_outcomes([(real, real)], 5).reproduced == 1
    assert compare_outcomes([(real, outcomes([[70], [70]], none))], 5).reproduced == 0
    assert compare_outcomes([(real, outcomes([[100], [0]], none))], 5).reproduced == -3
    assert math.isnan(effects.ranked) and effects.pairs == 0
    assert action_metrics(effects) == {"eval/actions_reproduced": pytest.approx(0.75)}


def test_an_episode_that_ends_has_no_frame_to_compare_but_its_reward_counts() -> None:
    ended = np.array([[False, True], [False, False]])
    real = outcomes([[0, 9], [100, 99]], [[0, 5], [0, 0]], ended)
    predicted = outcomes([[0, 200], [100, 0]], [[0, 0.1], [0, 0]])
    effects = compare_outcomes([(real, predicted)], 5)
    assert (effects.reproduced, effects.ranked, effects.pairs, effects.states) == (1, 1, 1, 2)


def test_states_add_up_over_pieces() -> None:
    none = [[0.0], [0.0]]
    right = (outcomes([[0], [100]], [[1.0], [0.0]]), outcomes([[0], [100]], [[0.2], [0.1]]))
    wrong = (outcomes([[0], [100]], [[1.0], [0.0]]), outcomes([[50], [50]], none))
    effects = compare_outcomes([right, wrong], 5)
    assert (effects.states, effects.pairs, effects.ranked, effects.reproduced) == (2, 2, 0.75, 0.5)


def test_pairs_of_actions_are_ranked_and_a_tie_is_half_right() -> None:
    frames = [[0]] * 3
    real = outcomes(frames, [[1.0], [0.0], [-1.0]])
    assert compare_outcomes([(real, outcomes(frames, [[0.3], [0.2], [0.1]]))], 5).ranked == 1
    assert compare_outcomes([(real, outcomes(frames, [[0.1], [0.2], [0.3]]))], 5).ranked == 0
    assert compare_outcomes([(real, outcomes(frames, [[0.0], [0.0], [0.0]]))], 5).ranked == 0.5
    # Only the first is above the last: the pairs (0, 1) tie, (0, 2) and (1, 2) are right.
    assert compare_outcomes([(real, outcomes(frames, [[0.2], [0.2], [0.1]]))], 5).ranked == pytest.approx(2.5 / 3)
    assert math.isnan(compare_outcomes([(real, real)], 5).reproduced)  # no action changes the frame
