from __future__ import annotations

import numpy as np
import pytest

from worldmodels.core.types import Batch
from worldmodels.evaluation.measures.optimism import fooled_warning, measure_optimism, optimism_metrics
from worldmodels.imagination.model_view import Prediction


def optimism(imagined: list[float], real: list[float]):
    """Of starts after one step of context, two steps each, of which the first is paid and no episode ends."""
    paid = np.array([real, [0] * len(real)], np.float32).T
    never = np.zeros((len(real), 3), bool)
    rewards = np.pad(paid, ((0, 0), (1, 0)))
    windows = Batch(np.zeros((len(real), 3, 1, 1, 3), np.uint8), rewards, never, never, never, never.astype(np.int32))
    promised = np.array([imagined, [0] * len(imagined)], np.float32).T
    return measure_optimism(Prediction(None, promised, np.ones_like(promised)), windows, context=1)


def test_returns_and_their_ratio_are_metrics():
    metrics = optimism_metrics(optimism([3, 1] * 50, [1, 0] * 50))
    assert metrics == {"eval/imagined_return": 2, "eval/real_return": 0.5, "eval/imagined_over_real": 4}


def test_nothing_is_divided_by_nothing():
    assert optimism_metrics(optimism([3, 1], [0, 0])) == {"eval/imagined_return": 2, "eval/real_return": 0}


def test_a_policy_that_fools_its_model_is_told_of():
    warning = fooled_warning(optimism([3, 1] * 50, [1, 0] * 50), "test")
    assert warning == (
        "The policy fools its model: imagined return 2 (1.8 to 2.2), real 0.5 (0.4 to 0.6) over 2 steps from the same "
        "starts, on test levels."
    )


@pytest.mark.parametrize(
    ("imagined", "real"),
    [
        ([1.4] * 100, [1, 1] * 50),  # less than half as much again
        ([5] + [0] * 99, [1] + [0] * 99),  # a single event
        ([0.01] * 100, [0] * 100),  # one reward in a hundred, of which none was seen
        ([10] + [0.2] * 99, [0] * 100),
        ([-1.2] * 100, [-1] * 100),  # worse than it is
    ],
)
def test_chance_and_small_differences_are_not(imagined, real):
    assert fooled_warning(optimism(imagined, real)) is None


def test_promises_of_what_never_comes_are():
    assert fooled_warning(optimism([1, 0.5] * 50, [0, 0] * 50))
    assert fooled_warning(optimism([0.5, -0.5] * 50, [-2, -1] * 50))
