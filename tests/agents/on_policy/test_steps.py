from __future__ import annotations

import pytest
import tensorflow as tf

from worldmodels.agents.on_policy.samples import StepResult, run_steps


@pytest.mark.parametrize(
    ("finite_before", "last", "steps", "mean", "finite"),
    [
        (9, 9, 4, 1.5, True),  # 0, 1, 2 and 3
        (9, 1, 2, 0.5, True),
        (2, 9, 3, 1.0, False),
    ],
)
def test_steps_go_on_to_the_count_or_to_what_is_last_or_not_finite(finite_before, last, steps, mean, finite):
    def step(i):
        return StepResult({"number": tf.cast(i, tf.float32)}, i < finite_before, i < last)

    result = run_steps(step, 4, ("number",))
    assert (float(result.done), float(result.figures["number"]), bool(result.finite)) == (steps, mean, finite)
