from __future__ import annotations

import math
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from worldmodels.core.types import Batch
from worldmodels.evaluation.measures.world_model import error_metrics, errors_tree
from worldmodels.evaluation.predictions.model_errors import (
    counting,
    model_errors,
    reported_horizons,
)
from worldmodels.evaluation.predictions.open_loop import OpenLoopPredictor

KEY = np.array([1, 2], np.int32)


def errors_of(model: Any, windows: Batch) -> Any:
    """The errors of a model that observes two frames."""
    predictor = OpenLoopPredictor(model, context=2)
    seen, _ = predictor.measure_reconstruction(windows, KEY)
    return model_errors(
        predictor.measure(windows, KEY)[0], windows, 2, predictor.spec, seen, predictor.foresight(windows, KEY)
    )


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
    rows = parts.windows([[3, 4, 5, 6, 7], [5, 6, 7, 8, 9]], [[1, 2, 1, 2, 1], [2, 2, 1, 1, 2]])
    errors = errors_of(parts.CountingModel(), rows)
    assert errors.image_error.mean.tolist() == [0, 0, 0]
    assert errors.image_error.n.tolist() == [2, 2, 2]
    # Copying the frame seen last is wrong by 1, 2 and 3 of 255 in every pixel.
    assert errors.copy_image_error.mean == pytest.approx([(d / 255) ** 2 for d in (1, 2, 3)], rel=1e-5)
    assert errors.reward_accuracy.mean.tolist() == [1, 1, 1]
    assert errors.reward_sum_accuracy.mean.tolist() == [1, 1, 1]
    assert errors.reward_error.mean.tolist() == [0, 0, 0]
    assert errors.continuation_accuracy.mean.tolist() == [1, 1, 1]
    assert errors.ends == 0 and math.isnan(errors.ends_found)


def test_errors_grow_with_the_horizon_and_have_standard_errors(parts: SimpleNamespace) -> None:
    rows = parts.windows([[3, 4, 5, 6], [5, 6, 7, 8]], [[1] * 4] * 2)
    errors = errors_of(parts.CountingModel(drift=2.0), rows)
    assert errors.image_error.mean == pytest.approx([(2 / 255) ** 2, (4 / 255) ** 2], rel=1e-5)
    assert errors.image_error.standard_error == pytest.approx([0, 0], abs=1e-12)
    mixed = rows._replace(observation=rows.observation.copy())
    mixed.observation[1, 2:] += 2  # now the second window is predicted right at first, then 2 too much
    errors = errors_of(parts.CountingModel(drift=2.0), mixed)
    assert errors.image_error.mean[0] == pytest.approx(2 / 255**2, rel=1e-5)
    # Errors 4 and 0: standard deviation sqrt(8), over sqrt(2) is 2.
    assert errors.image_error.standard_error[0] == pytest.approx(2 / 255**2, rel=1e-5)


def test_an_end_counts_for_the_continuation_and_is_found_or_not(parts: SimpleNamespace) -> None:
    # The first window ends at its fourth step, at 6; the second goes on.
    rows = parts.windows([[3, 4, 5, 6, 0], [3, 4, 5, 6, 7]], [[1] * 5] * 2)
    right = errors_of(parts.CountingModel(end=6), rows)
    # At the second predicted step, both are said to end, and one does; at the third, only the second window counts.
    assert right.continuation_accuracy.n.tolist() == [2, 2, 1]
    assert right.continuation_accuracy.mean.tolist() == [1, 0.5, 0]
    assert right.constant_continuation_accuracy.mean.tolist() == [1, 0.5, 1]
    assert (right.ends, right.ends_found) == (1, 1)
    blind = errors_of(parts.CountingModel(), rows)
    assert (blind.ends, blind.ends_found) == (1, 0)
    cut = errors_of(parts.CountingModel(), parts.windows([[3, 4, 5, 6, 0]], [[1] * 5], terminal=False))
    assert cut.ends == 0
    assert cut.continuation_accuracy.mean.tolist()[:2] == [1, 1]
    assert cut.continuation_accuracy.n.tolist() == [1, 1, 0]
    assert math.isnan(cut.continuation_accuracy.mean[2])
    assert errors_tree({0.5: cut})[0]["continuation_accuracy"]["mean"] == [1, 1, None]
    assert errors_tree({0.5: cut})[0]["model_temperature"] == 0.5


def test_a_reward_is_right_where_the_true_one_is_the_nearest_that_occurs(parts: SimpleNamespace) -> None:
    # Rewards that occur: 0, 1 and 4. The model always says the action, and here the true rewards were changed.
    rows = parts.windows([[3, 4, 5, 6]], [[0, 1, 0, 0]])
    reward = np.array([[0, 0, 4, 0]], np.float32)
    wrong = errors_of(parts.CountingModel(), rows._replace(reward=reward))
    # Predicted 1 for 4: among 0 and 4 the nearest is 0. Then 0 for 0 is right, but not the sum so far.
    assert wrong.reward_accuracy.mean.tolist() == [0, 1]
    assert wrong.reward_sum_accuracy.mean.tolist() == [0, 0]
    assert wrong.reward_error.mean.tolist() == [3, 0]
    assert wrong.constant_reward_accuracy.mean.tolist() == [0, 1]
    assert (wrong.uncommon_rewards, wrong.uncommon_rewards_found) == (1, 0)


def test_wrong_rewards_that_cancel_out_leave_their_sum_right(parts: SimpleNamespace) -> None:
    # The model says the actions 2, 1, 1, 1; truly the first two rewards came the other way round.
    rows = parts.windows([[3, 4, 5, 6, 7, 8]], [[0, 2, 1, 1, 1, 1]])
    swapped = rows._replace(reward=np.array([[0, 0, 1, 2, 1, 1]], np.float32))
    errors = errors_of(parts.CountingModel(), swapped)
    assert errors.reward_accuracy.mean.tolist() == [0, 0, 1, 1]
    assert errors.reward_sum_accuracy.mean.tolist() == [0, 1, 1, 1]
    # Always 1 makes 1, 2, 3, 4; the truth makes 1, 3, 4, 5.
    assert errors.constant_reward_sum_accuracy.mean.tolist() == [1, 0, 0, 0]
    metrics = error_metrics({0.5: errors, 1.0: errors})
    assert metrics["eval/reward_sum_accuracy_at_1_model0.5"] == 0
    assert metrics["eval/reward_sum_accuracy_at_4_model0.5"] == 1
    assert metrics["eval/reward_accuracy_at_1_model0.5"] == 0


def test_horizons_that_no_window_reached_are_no_metrics(parts: SimpleNamespace) -> None:
    rows = parts.windows([[3, 4, 5, 6, 0]], [[1] * 5])
    metrics = error_metrics({1.0: errors_of(parts.CountingModel(), rows)})
    assert "eval/image_error_at_1" in metrics and "eval/image_error_at_3" not in metrics


def test_one_step_a_quarter_and_the_whole_horizon_are_reported() -> None:
    assert [reported_horizons(h) for h in (50, 15, 4, 3, 1)] == [[1, 12, 50], [1, 3, 15], [1, 4], [1, 3], [1]]


def test_only_a_model_that_reconstructs_has_a_reconstruction_error(parts: SimpleNamespace) -> None:
    model = parts.CountingModel(drift=2.0)
    windows = parts.windows([[3, 4, 5, 6]], [[1] * 4])
    assert errors_of(model, windows).reconstruction_error is None
    assert errors_tree({1.0: errors_of(model, windows)})[0]["reconstruction_error"] is None
    model.spec = model.spec._replace(reconstructs=True)
    frame = model.frame
    model.frame = lambda state, before=None: frame(state) + 3
    errors = errors_of(model, windows)
    # Every image is 3 too bright; without observations the drift comes on top of it.
    assert errors.reconstruction_error is not None
    assert errors.reconstruction_error.mean == pytest.approx([(3 / 255) ** 2] * 2, rel=1e-5)
    assert errors.image_error.mean == pytest.approx([(5 / 255) ** 2, (7 / 255) ** 2], rel=1e-5)


def test_moving_pixels_are_those_that_changed_by_more_than_a_tenth(parts: SimpleNamespace) -> None:
    # From 20 to 50 every pixel changes by 30 of 255, more than a tenth; from 50 to 51 none does.
    rows = parts.windows([[10, 20, 50, 51]], [[1] * 4])
    errors = errors_of(parts.CountingModel(), rows)  # it predicts 21 and 22
    assert errors.moving_image_error.n.tolist() == [1, 0]
    assert errors.moving_image_error.mean[0] == pytest.approx((29 / 255) ** 2, rel=1e-5)
    assert errors.copy_moving_image_error.mean[0] == pytest.approx((30 / 255) ** 2, rel=1e-5)
    assert math.isnan(errors.moving_image_error.mean[1])
    assert "eval/moving_image_error_at_1" in error_metrics({1.0: errors})
    assert "eval/moving_image_error_at_2" not in error_metrics({1.0: errors})


def test_foresight_is_among_the_metrics(parts: SimpleNamespace) -> None:
    # Two frames are seen, then five steps are looked ahead, with a reward of 2 at the first of them alone.
    rows = parts.windows([list(range(7)), list(range(10, 17))], [[0, 2, 0, 0, 0, 0, 0], [0] * 7])
    metrics = error_metrics({1.0: errors_of(parts.CountingModel(), rows)})
    assert (metrics["eval/reward_base_rate"], metrics["eval/reward_average_precision"]) == (0.5, 1)
    assert metrics["eval/reward_ratio"] == 1
    assert metrics["eval/end_base_rate"] == 0 and "eval/end_average_precision" not in metrics
    short = parts.windows([[1, 2, 3]], [[0] * 3])
    assert errors_of(parts.CountingModel(), short).foresight is None
