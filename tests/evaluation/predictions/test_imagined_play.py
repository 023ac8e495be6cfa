from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
import tensorflow as tf

from worldmodels.core.types import Batch
from worldmodels.evaluation.measures.imagined import imagined_metrics
from worldmodels.evaluation.predictions.imagined_play import (
    ImaginedPlayer,
    compare_play,
    usable_starts,
)
from worldmodels.evaluation.report.comparison_video import imagined_video
from worldmodels.imagination.model_view import Prediction

KEY = np.array([1, 2], np.int32)


def windows(last: list[list[int]], terminal: list[list[int]], reward: list[list[float]]) -> Batch:
    """Windows of the counting world, whose flags and rewards are what a test wants."""
    shape = np.shape(last)
    image = np.broadcast_to(np.arange(shape[1])[None, :, None, None, None], (*shape, 2, 2, 3)).astype(np.uint8)
    first, is_last, is_terminal = np.zeros(shape, bool), np.array(last, bool), np.array(terminal, bool)
    return Batch(image, np.array(reward, np.float32), first, is_last, is_terminal, np.ones(shape, np.int32))


def test_starts_at_an_end_and_starts_before_a_time_limit_are_left_out() -> None:
    ends = [[0, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, 0], [0, 0, 1, 0], [1, 0, 0, 0], [0, 0, 0, 1], [0, 0, 1, 1]]
    true_ends = [[0, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, 0], [0, 0, 0, 0], [1, 0, 0, 0], [0, 0, 0, 0], [0, 0, 1, 0]]
    # The start is the second step. A time limit in another episode, after the end of the start's own, is no matter.
    usable = usable_starts(windows(ends, true_ends, [[0] * 4] * 7), context=2)
    assert usable.tolist() == [True, False, True, False, True, False, True]


def test_both_sides_are_expected_values() -> None:
    # Two starts, three steps: the first really earns 1, 1, 1; the second 2, and ends with that.
    played = windows(
        [[0, 0, 0, 0], [0, 1, 0, 0]], [[0, 0, 0, 0], [0, 1, 0, 0]], [[9, 1, 1, 1], [9, 2, 7, 7]]
    )  # fmt: skip
    rewards = np.array([[1, 1, 1], [4, 4, 4]], np.float32)
    continuations = np.array([[1, 1, 0.5], [0.5, 0.5, 1]], np.float32)
    play = compare_play(Prediction(None, rewards, continuations), played, context=1)
    assert play.real_return.mean.tolist() == [(1 + 2) / 2, (2 + 2) / 2, (3 + 2) / 2]
    assert play.real_alive.mean.tolist() == [0.5, 0.5, 0.5]
    # The second imagined start counts its rewards by 1, 0.5 and 0.25: sums of 4, 6 and 7.
    assert play.imagined_return.mean.tolist() == [(1 + 4) / 2, (2 + 6) / 2, (3 + 7) / 2]
    assert play.imagined_alive.mean.tolist() == [(1 + 0.5) / 2, (1 + 0.25) / 2, (0.5 + 0.25) / 2]
    assert play.difference.mean == (0 + 5) / 2
    assert play.correlation == pytest.approx(-1)
    metrics = imagined_metrics(play, "_t1_model0")
    assert metrics["eval/imagined_return_at_3_t1_model0"] == 5
    assert metrics["eval/real_return_at_3_t1_model0"] == 2.5
    assert metrics["eval/real_ended_at_3_t1_model0"] == 0.5
    # A start lives 1 + 0.5 + 0.5 steps on average, and earns 2.5 in them.
    assert metrics["eval/real_reward_at_3_t1_model0"] == pytest.approx(2.5 / 2)
    assert metrics["eval/imagined_reward_at_3_t1_model0"] == pytest.approx(5 / (1 + 0.75 + 0.625))


def test_equal_returns_have_no_correlation() -> None:
    played = windows([[0, 0]] * 2, [[0, 0]] * 2, [[0, 1]] * 2)
    predicted = Prediction(None, np.array([[1], [2]], np.float32), np.ones((2, 1), np.float32))
    play = compare_play(predicted, played, context=1)
    assert math.isnan(play.correlation)
    assert "eval/imagined_correlation_at_1" not in imagined_metrics(play, "")


def test_the_policy_acts_in_the_model_from_what_was_seen(parts: Any) -> None:
    recorded = windows([[0] * 5] * 3, [[0] * 5] * 3, [[0] * 5] * 3)
    player = ImaginedPlayer(parts.CountingModel(drift=1.0), parts.ConstantAgent(4), context=2, horizon=3)
    predicted = player.play(recorded, KEY, 1.0, 1.0)
    # The frame seen last shows 1; the model counts on by 2.
    assert predicted.frame[:, :, 0, 0, 0].tolist() == [[3, 5, 7]] * 3
    assert predicted.reward.tolist() == [[4, 4, 4]] * 3
    assert predicted.continuation.tolist() == [[pytest.approx(0.9)] * 3] * 3
    frames = imagined_video(predicted.frame, recorded.observation, context=2, rows=2)
    assert frames.shape == (5, 2 * (4 + 8 + 14) + 22 + 20, 2 * (4 + 8) + 14, 3)


def test_a_policy_remembers_what_it_saw_since_the_episode_began(parts: Any) -> None:
    class Counter(parts.ConstantAgent):
        """Its action is the number of frames that it has seen."""

        def initial(self, batch):
            return tf.zeros((batch,), tf.int32)

        def act(self, features, memory, temperature, seed):
            return memory + 1, memory + 1, {}

    recorded = windows([[0] * 5] * 3, [[0] * 5] * 3, [[0] * 5] * 3)
    recorded.is_first[1, 1] = True
    recorded.is_first[2, 2] = True
    predicted = ImaginedPlayer(parts.CountingModel(), Counter(0), context=3, horizon=2).play(recorded, KEY, 1.0, 1.0)
    # Its first action in the model is at the third frame, which may be the first or second of its episode.
    assert predicted.reward.tolist() == [[3, 4], [2, 3], [1, 2]]
