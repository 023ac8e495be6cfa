"""The steps after which a curve reaches a return, worked by hand, and the report of both."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import ppo_curves
import pytest
from few_steps.measure_curve import MEASURED_STEPS
from few_steps.reached import Curve, first_reached, steps_needed

STEPS = np.array([100.0, 400.0, 1600.0])


@pytest.mark.parametrize(
    ("target", "steps"),
    [
        (0.5, 100),  # the first measurement has it already
        (1.0, 100),
        (2.0, 200),  # halfway from 1 to 3, so halfway from 100 to 400 in the logarithm: the root of 100 x 400
        (3.0, 400),
        (5.0, math.inf),
    ],
)
def test_a_return_is_first_reached(target: float, steps: float) -> None:
    assert first_reached(STEPS, np.array([1.0, 3.0, 2.0]), target) == pytest.approx(steps)


def test_equal_runs_have_an_interval_without_width() -> None:
    curve = Curve(STEPS, np.array([[1.0, 3.0, 4.0]] * 3))
    found = steps_needed(curve, np.array([2.0, 2.0]), np.random.default_rng(0))
    assert found == pytest.approx((200, 200, 200))


def test_the_interval_has_what_both_samples_may_be() -> None:
    """The target is 1, 2 or 3 by the draw of two returns, and a curve of draws of the second run never gets to 2."""
    curve = Curve(STEPS, np.array([[1.0, 3.0, 3.0], [1.0, 1.0, 1.0]]))
    found = steps_needed(curve, np.array([1.0, 3.0]), np.random.default_rng(0))
    assert found.low == 100 and found.high == math.inf
    assert found.steps == pytest.approx(400)  # the means: 1, 2 and 2, which reach 2 at 400


def cell(learner: str, experiment: str, mean: float, **more: Any) -> dict[str, Any]:
    returns = {"test": {"policy": {"mean": mean}}}
    where = {"experiment": experiment, "learner": learner, "game": "coinrun", "seed": 1, "step": 20_000}
    made = {"processor": "A", "processor_seconds": 600.0, "made_by": {"last_changed_at": "1ae9295"}}
    return {**where, **made, "returns": returns, **more}


def test_the_report() -> None:
    points = [
        {"step": step, "returns": {"test": {"policy": {"mean": place}}}} for place, step in enumerate(MEASURED_STEPS)
    ]
    ppo = cell(ppo_curves.PPO, "curves", 11.0, curve=points, step=MEASURED_STEPS[-1], processor_seconds=4980.736)
    compared = [cell("dreamer", "few", 1.0), cell("simple", "few", 99.0)]
    text = ppo_curves.report([ppo], compared)
    assert "| CoinRun | 1 | 0.00 | 1.00 |" in text
    # PPO reaches 1 at its second measurement, 262,144 steps, and takes a thousandth of a second for each.
    needed = "262,144 (262,144 to 262,144) | 13.1 (13.1 to 13.1) | 10.0 | 4.4 (4.4 to 4.4)"
    assert f"| CoinRun | Dreamer | 20,000 | 1 | 1.00 | {needed} |" in text
    assert "| CoinRun | SimPLe | 20,000 | 1 | 99.00 | more than 4,980,736" in text
