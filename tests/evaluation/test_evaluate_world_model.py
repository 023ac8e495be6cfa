from __future__ import annotations

import math
from types import SimpleNamespace

import numpy as np
import pytest

from worldmodels.core.types import Batch
from worldmodels.evaluation.recording import record_windows
from worldmodels.evaluation.report import errors_tree
from worldmodels.evaluation.video import comparison_frames, difference_image, prediction_video
from worldmodels.evaluation.world_model import counting, evaluate_world_model

KEY = np.array([1, 2], np.int32)


def recording(steps: list[list[int]], actions: list[list[int]], terminal: bool = True) -> Batch:
    """Windows of the counting world: where the step falls back to 0 an episode begins, and before that one ended."""
    t, action = np.array(steps), np.array(actions, np.int32)
    first = t == 0
    last = np.roll(first, -1, axis=1)
    last[:, -1] = False
    reward = np.roll(action, 1, axis=1).astype(np.float32)
    reward[first] = 0
    image = np.broadcast_to(t[:, :, None, None, None], (*t.shape, 2, 2, 3)).astype(np.uint8)
    return Batch(image, reward, first, last, last & terminal, action)


def test_what_comes_after_an_end_does_not_count_but_the_end_does() -> None:
    last = np.array([[0, 0, 0, 0, 0], [0, 1, 0, 0, 0], [0, 0, 0, 1, 0], [0, 0, 1, 0, 1], [1, 0, 0, 0, 1]], bool)
    # Two frames are seen; an end at the second of them leaves nothing to predict.
    assert counting(last, context=2).tolist() == [
        [True, True, True],
        [False, False, False],
        [True, True, False],
        [True, False, False],
        [True, True, True],
    ]


def test_a_perfect_model_has_no_error(parts: SimpleNamespace) -> None:
    rows = recording([[3, 4, 5, 6, 7], [5, 6, 7, 8, 9]], [[1, 2, 1, 2, 1], [2, 2, 1, 1, 2]])
    errors = evaluate_world_model(parts.CountingModel(), rows, context=2, key=KEY)
    assert errors.image_error.mean.tolist() == [0, 0, 0]
    assert errors.image_error.n.tolist() == [2, 2, 2]
    assert errors.looking_image_error.mean.tolist() == [0, 0, 0]
    # Copying the frame seen last is wrong by 1, 2 and 3 of 255 in every pixel.
    assert errors.copy_image_error.mean == pytest.approx([(d / 255) ** 2 for d in (1, 2, 3)], rel=1e-5)
    assert errors.reward_accuracy.mean.tolist() == [1, 1, 1]
    assert errors.reward_sum_accuracy.mean.tolist() == [1, 1, 1]
    assert errors.reward_error.mean.tolist() == [0, 0, 0]
    assert errors.continuation_accuracy.mean.tolist() == [1, 1, 1]
    assert errors.ends == 0 and math.isnan(errors.ends_found)


def test_errors_grow_with_the_horizon_and_have_standard_errors(parts: SimpleNamespace) -> None:
    rows = recording([[3, 4, 5, 6], [5, 6, 7, 8]], [[1] * 4] * 2)
    errors = evaluate_world_model(parts.CountingModel(drift=2.0), rows, context=2, key=KEY)
    assert errors.image_error.mean == pytest.approx([(2 / 255) ** 2, (4 / 255) ** 2], rel=1e-5)
    assert errors.image_error.standard_error == pytest.approx([0, 0], abs=1e-12)
    mixed = rows._replace(observation=rows.observation.copy())
    mixed.observation[1, 2:] += 2  # now the second window is predicted right at first, then 2 too much
    errors = evaluate_world_model(parts.CountingModel(drift=2.0), mixed, context=2, key=KEY)
    assert errors.image_error.mean[0] == pytest.approx(2 / 255**2, rel=1e-5)
    # Errors 4 and 0: standard deviation sqrt(8), over sqrt(2) is 2.
    assert errors.image_error.standard_error[0] == pytest.approx(2 / 255**2, rel=1e-5)


def test_an_end_counts_for_the_continuation_and_is_found_or_not(parts: SimpleNamespace) -> None:
    # The first window ends at its fourth step, at 6; the second goes on.
    rows = recording([[3, 4, 5, 6, 0], [3, 4, 5, 6, 7]], [[1] * 5] * 2)
    right = evaluate_world_model(parts.CountingModel(end=6), rows, context=2, key=KEY)
    # At the second predicted step, both are said to end, and one does; at the third, only the second window counts.
    assert right.continuation_accuracy.n.tolist() == [2, 2, 1]
    assert right.continuation_accuracy.mean.tolist() == [1, 0.5, 0]
    assert right.constant_continuation_accuracy.mean.tolist() == [1, 0.5, 1]
    assert (right.ends, right.ends_found) == (1, 1)
    blind = evaluate_world_model(parts.CountingModel(), rows, context=2, key=KEY)
    assert (blind.ends, blind.ends_found) == (1, 0)
    cut = evaluate_world_model(
        parts.CountingModel(), recording([[3, 4, 5, 6, 0]], [[1] * 5], terminal=False), context=2, key=KEY
    )
    assert cut.ends == 0
    assert cut.continuation_accuracy.mean.tolist()[:2] == [1, 1]
    assert cut.continuation_accuracy.n.tolist() == [1, 1, 0]
    assert math.isnan(cut.continuation_accuracy.mean[2])
    assert errors_tree(cut)["continuation_accuracy"]["mean"] == [1, 1, None]


def test_a_reward_is_right_where_the_true_one_is_the_nearest_that_occurs(parts: SimpleNamespace) -> None:
    # Rewards that occur: 0, 1 and 4. The model always says the action, and here the true rewards were changed.
    rows = recording([[3, 4, 5, 6]], [[0, 1, 0, 0]])
    reward = np.array([[0, 0, 4, 0]], np.float32)
    wrong = evaluate_world_model(parts.CountingModel(), rows._replace(reward=reward), context=2, key=KEY)
    # Predicted 1 for 4: among 0 and 4 the nearest is 0. Then 0 for 0 is right, but not all steps so far.
    assert wrong.reward_accuracy.mean.tolist() == [0, 1]
    assert wrong.reward_sum_accuracy.mean.tolist() == [0, 0]
    assert wrong.reward_error.mean.tolist() == [3, 0]
    assert wrong.constant_reward_accuracy.mean.tolist() == [0, 1]
    assert (wrong.uncommon_rewards, wrong.uncommon_rewards_found) == (1, 0)


def test_recorded_windows_are_what_happened(parts: SimpleNamespace) -> None:
    env = parts.CountingEnv([6, 9])
    batch = record_windows(env, parts.ConstantActor(2), windows=40, length=5, seed=3)
    assert batch.observation.shape == (40, 5, 2, 2, 3)
    step = batch.observation[:, :, 0, 0, 0].astype(int)
    forward = np.diff(step, axis=1)
    assert ((forward == 1) | batch.is_first[:, 1:]).all()
    assert (step[batch.is_first] == 0).all()
    assert set(step[batch.is_last]) == {6, 9}
    assert (step[batch.is_terminal] == 6).all()
    assert (batch.reward == np.where(batch.is_first, 0, 2)).all()
    again = record_windows(parts.CountingEnv([6, 9]), parts.ConstantActor(2), windows=40, length=5, seed=3)
    for ours, theirs in zip(batch, again, strict=True):
        np.testing.assert_array_equal(ours, theirs)


def test_the_difference_is_black_where_nothing_differs_and_white_at_most() -> None:
    truth = np.array([[[0, 0, 0], [10, 20, 30], [0, 0, 0]]], np.uint8)
    model = np.array([[[0, 0, 0], [10, 20, 58], [255, 0, 0]]], np.uint8)
    # A difference of 28 is 84 of red; red is full from 85 on, then green and blue follow.
    assert difference_image(truth, model).tolist() == [[[0, 0, 0], [84, 0, 0], [255, 255, 255]]]


def test_frames_stand_side_by_side() -> None:
    truth = np.full((2, 3, 4, 4, 3), 200, np.uint8)
    model = truth.copy()
    model[:, 2] = 100
    frames = comparison_frames(truth, model, context=2, columns=1, scale=8)
    # Three panes of 32 pixels with 2 of border and 2 around on both sides, and 7 around; two of them, header and line.
    assert frames.shape == (3, 2 * (32 + 8 + 14) + 22 + 20, 3 * (32 + 8) + 14, 3)
    middle = frames[:, 22 + 27, [27, 67, 107]]
    assert middle[:2].tolist() == [[[200] * 3, [200] * 3, [0] * 3]] * 2
    assert middle[2, :2].tolist() == [[200] * 3, [100] * 3]
    assert middle[2, 2].tolist() == [255, 45, 0]


def test_the_video_shows_windows_without_an_end_first(parts: SimpleNamespace) -> None:
    rows = recording([[3, 4, 0, 1], [5, 6, 7, 8]], [[1] * 4] * 2)
    frames = prediction_video(parts.CountingModel(), rows, context=2, key=KEY, rows=1)
    alone = prediction_video(parts.CountingModel(), Batch(*(values[1:] for values in rows)), context=2, key=KEY, rows=1)
    np.testing.assert_array_equal(frames, alone)
