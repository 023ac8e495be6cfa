from __future__ import annotations

import math
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from worldmodels.evaluation.prediction import ROWS, Predictor, join_groups, row_groups
from worldmodels.evaluation.recording import check_reach, held_out_windows, record_windows
from worldmodels.evaluation.settings import marks
from worldmodels.evaluation.trees import errors_tree
from worldmodels.evaluation.video import comparison_frames, difference_image, prediction_video, shown_rows
from worldmodels.evaluation.world_model import counting, error_metrics, evaluate_world_model

from worldmodels.core.errors import ConfigError
from worldmodels.core.types import Batch
from worldmodels.replay import Replay, ReplayConfig
from worldmodels.runtime.collect import Collector

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
    assert errors_tree({0.5: cut})[0]["continuation_accuracy"]["mean"] == [1, 1, None]
    assert errors_tree({0.5: cut})[0]["model_temperature"] == 0.5


def test_a_reward_is_right_where_the_true_one_is_the_nearest_that_occurs(parts: SimpleNamespace) -> None:
    # Rewards that occur: 0, 1 and 4. The model always says the action, and here the true rewards were changed.
    rows = recording([[3, 4, 5, 6]], [[0, 1, 0, 0]])
    reward = np.array([[0, 0, 4, 0]], np.float32)
    wrong = evaluate_world_model(parts.CountingModel(), rows._replace(reward=reward), context=2, key=KEY)
    # Predicted 1 for 4: among 0 and 4 the nearest is 0. Then 0 for 0 is right, but not the sum so far.
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


def test_windows_without_an_end_are_shown_first(parts: SimpleNamespace) -> None:
    rows = recording([[3, 4, 0, 1], [5, 6, 7, 8], [0, 1, 2, 3]], [[1] * 4] * 3)
    assert shown_rows(rows, context=2, most=2).tolist() == [1, 2]
    assert shown_rows(rows, context=2, most=9).tolist() == [1, 2, 0]
    made = Predictor(parts.CountingModel(), context=2).predict(rows, KEY)
    frames = prediction_video(made, rows, context=2)
    # Three pairs of panes below each other, each 2 * 2 pixels large with borders of 4 and a gap of 7 on both sides.
    assert frames.shape == (4, 3 * (4 + 8 + 14) + 22 + 20, 3 * (4 + 8) + 14, 3)


def test_wrong_rewards_that_cancel_out_leave_their_sum_right(parts: SimpleNamespace) -> None:
    # The model says the actions 2, 1, 1, 1; truly the first two rewards came the other way round.
    rows = recording([[3, 4, 5, 6, 7, 8]], [[0, 2, 1, 1, 1, 1]])
    swapped = rows._replace(reward=np.array([[0, 0, 1, 2, 1, 1]], np.float32))
    errors = evaluate_world_model(parts.CountingModel(), swapped, context=2, key=KEY)
    assert errors.reward_accuracy.mean.tolist() == [0, 0, 1, 1]
    assert errors.reward_sum_accuracy.mean.tolist() == [0, 1, 1, 1]
    # Always 1 makes 1, 2, 3, 4; the truth makes 1, 3, 4, 5.
    assert errors.constant_reward_sum_accuracy.mean.tolist() == [1, 0, 0, 0]
    metrics = error_metrics(errors, "_model0.5")
    assert metrics["eval/reward_sum_accuracy_at_1_model0.5"] == 0
    assert metrics["eval/reward_sum_accuracy_at_4_model0.5"] == 1
    assert metrics["eval/reward_accuracy_at_1_model0.5"] == 0


def test_horizons_that_no_window_reached_are_no_metrics(parts: SimpleNamespace) -> None:
    rows = recording([[3, 4, 5, 6, 0]], [[1] * 5])
    metrics = error_metrics(evaluate_world_model(parts.CountingModel(), rows, context=2, key=KEY))
    assert "eval/image_error_at_1" in metrics and "eval/image_error_at_3" not in metrics


def test_a_quarter_of_fifty_is_twelve() -> None:
    assert [marks(h) for h in (50, 15, 4, 3, 1)] == [[12, 50], [3, 15], [1, 4], [1, 3], [1]]


def test_groups_of_rows_are_equally_large() -> None:
    assert [rows.tolist() for rows in row_groups(5, 2)] == [[0, 1], [2, 3], [4, 0]]
    assert [rows.tolist() for rows in row_groups(3, 64)] == [[0, 1, 2]]
    parts = [[np.array([10, 11])], [np.array([12, 13])], [np.array([14, 10])]]
    assert join_groups(parts, 5)[0].tolist() == [10, 11, 12, 13, 14]


def test_many_windows_are_predicted_in_groups(parts: SimpleNamespace, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(ROWS, "vector", 2)
    rows = recording([[3, 4, 5], [5, 6, 7], [7, 8, 9]], [[1, 2, 3], [2, 3, 4], [3, 4, 0]])
    made = Predictor(parts.CountingModel(drift=1.0), context=2).predict(rows, KEY)
    assert made.frames[:, :, 0, 0, 0].tolist() == [[6], [8], [10]]
    assert made.looking[:, :, 0, 0, 0].tolist() == [[3, 4, 5], [5, 6, 7], [7, 8, 9]]
    assert made.rewards.tolist() == [[2], [3], [4]]


def test_a_model_of_images_keeps_what_it_sees(parts: SimpleNamespace) -> None:
    model = parts.CountingModel(drift=2.0)
    model.spec = model.spec._replace(feature_kind="images")
    rows = recording([[3, 4, 5, 6]], [[1] * 4])
    errors = evaluate_world_model(model, rows, context=2, key=KEY)
    assert errors.looking_image_error.mean.tolist() == [0, 0]
    assert errors.image_error.mean == pytest.approx([(2 / 255) ** 2, (4 / 255) ** 2], rel=1e-5)


def test_a_horizon_that_no_window_reaches_is_refused() -> None:
    rows = recording([[3, 4, 5, 6, 0], [7, 8, 0, 1, 2]], [[1] * 5] * 2)
    check_reach(rows, context=3)  # what follows the new beginning in the second window is one episode
    with pytest.raises(ConfigError, match="evaluation.horizon is 3, .* the longest does for 2 steps after the 2"):
        check_reach(rows, context=2)


def test_held_out_windows_come_from_held_out_episodes(parts: SimpleNamespace, tmp_path: Path) -> None:
    # Episodes of 4 steps, 5 moments each, in one stream; every second one is held out.
    replay = Replay(tmp_path, 1, (2, 2, 3), ReplayConfig(capacity_steps=1000, held_out_every=2))
    assert held_out_windows(replay, 8, 3, seed=0) is None
    steps = [step for step, _ in Collector(parts.CountingEnv([4]), seed=0).collect(parts.ConstantActor(1), 30)]
    for t, step in enumerate(steps):
        replay.append(step._replace(observation=np.full_like(step.observation, t // 5)))
    found = held_out_windows(replay, 40, 3, seed=0)
    assert found is not None
    assert set(found.observation.ravel().tolist()) == {1, 3, 5}
    again = held_out_windows(replay, 40, 3, seed=0)
    assert again is not None and (again.observation == found.observation).all()
    assert held_out_windows(replay, 8, 6, seed=0) is None
