"""What a policy learns at recorded steps, worked by hand."""

from __future__ import annotations

import numpy as np
import pytest
import tensorflow as tf

from worldmodels.agents.api import Recent
from worldmodels.agents.distributions.policy_distributions import CATEGORICAL, SQUASHED_NORMAL, TRUNCATED_NORMAL
from worldmodels.agents.dreamer.imagined_steps import JudgedSteps, judged_steps, recent_loss
from worldmodels.agents.dreamer.value_critic import ValueTargets


def logits(*probabilities: list[float]) -> tf.Tensor:
    return tf.math.log(tf.constant(probabilities))


def steps(actions, recorded, advantages, weights) -> JudgedSteps:
    count = len(actions)
    numbers = (tf.constant(x, tf.float32) for x in (np.log(recorded), advantages, weights))
    return JudgedSteps(tf.zeros((count, 1)), tf.constant(actions), *numbers)


def test_the_loss_is_that_of_a_policy_gradient_with_weights_up_to_1() -> None:
    # Twice as likely as it was, half as likely, and of another episode.
    parameters = logits([0.8, 0.2], [0.75, 0.25], [0.5, 0.5])
    recorded = steps([0, 1, 0], [0.4, 0.5, 0.5], [-3.0, 2.0, 9.0], [1, 1, 0])
    loss, figures = recent_loss(recorded, parameters, CATEGORICAL)
    expected = -(1 * -3 * np.log(0.8) + 0.5 * 2 * np.log(0.25)) / 3
    assert float(loss) == pytest.approx(expected, rel=1e-5)
    assert float(figures["recent_ratio"]) == pytest.approx((1 + 0.5 + 1) / 3)
    assert float(figures["recent_error"]) == pytest.approx((3 + 2) / 3)


def test_its_gradient_moves_each_action_by_its_advantage_and_no_weight() -> None:
    parameters = logits([0.5, 0.5], [0.5, 0.5])
    recorded = steps([0, 1], [0.25, 1.0], [4.0, -2.0], [1, 1])
    with tf.GradientTape() as tape:
        tape.watch(parameters)
        loss, _ = recent_loss(recorded, parameters, CATEGORICAL)
    # The slope of log p by the logits is (chosen or not) - p; the second action is half as likely as it was.
    by_hand = -np.array([[4 * 0.5, 4 * -0.5], [0.5 * -2 * -0.5, 0.5 * -2 * 0.5]]) / 2
    np.testing.assert_allclose(tape.gradient(loss, parameters), by_hand, rtol=1e-5)


def test_steps_are_judged_by_the_return_over_the_target_critics_value() -> None:
    parameters = tf.reshape(logits([0.5, 0.5], [0.25, 0.75], [0.5, 0.5]), (1, 3, 2))
    arrays = tf.zeros((1, 3)), tf.zeros((1, 3), tf.bool), tf.zeros((1, 3), tf.bool)
    recent = Recent(tf.zeros((1, 3, 4)), tf.constant([[1, 0, 1]]), {"logits": parameters}, *arrays)
    targets = ValueTargets(
        tf.ones((2, 4)), tf.constant([[5.0, 1.0]]), tf.constant([[2.0, 3.0]]), tf.constant([[1.0, 0.0]])
    )
    judged = judged_steps(recent, targets, CATEGORICAL)
    np.testing.assert_array_equal(judged.actions, [1, 0])
    np.testing.assert_array_equal(judged.advantages, [3, -2])
    np.testing.assert_array_equal(judged.weights, [1, 0])
    np.testing.assert_allclose(judged.log_probability, np.log([0.5, 0.25]), rtol=1e-6)


@pytest.mark.parametrize("distribution", [TRUNCATED_NORMAL, SQUASHED_NORMAL], ids=lambda one: one.extra)
def test_actions_at_the_bounds_of_a_box_can_be_judged(distribution) -> None:
    recorded = steps([0, 0], [0.4, 0.4], [-3.0, 2.0], [1, 1])._replace(actions=tf.constant([[1.0], [-1.0]]))
    parameters = tf.constant([[0.3, 0.0], [0.3, 0.0]])
    with tf.GradientTape() as tape:
        tape.watch(parameters)
        loss, _ = recent_loss(recorded, parameters, distribution)
    assert np.isfinite(loss) and np.isfinite(tape.gradient(loss, parameters)).all()
