from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import tensorflow as tf

from worldmodels.agents.distributions.policy_distributions import CATEGORICAL, DIAGONAL_GAUSSIAN
from worldmodels.agents.on_policy.config import PPOConfig
from worldmodels.agents.on_policy.ppo import clipped_surrogate, policy_loss, squared_error, value_loss
from worldmodels.agents.on_policy.samples import Samples


def samples(**fields) -> Samples:
    """Two samples, of which the second counts nothing."""
    values = {
        "features": tf.zeros((2, 1)),
        "actions": tf.constant([0, 1]),
        "is_first": tf.constant([False, False]),
        "weights": tf.constant([1.0, 0.0]),
        "advantages": tf.constant([2.0, 1e6]),
        "returns": tf.constant([3.0, 1e6]),
        "values": tf.constant([1.0, 1e6]),
        "log_probability": tf.math.log([0.25, 1e-6]),
        "policy_scale": tf.ones(2),
        "memory": (),
    }
    return Samples(**(values | fields))


def test_clipped_surrogate_by_hand():
    ratio, advantages = tf.constant([1.5, 1.5, 0.5, 0.5, 1.1]), tf.constant([2.0, -2.0, 2.0, -2.0, 2.0])
    np.testing.assert_allclose(clipped_surrogate(ratio, advantages, 0.2), [-2.4, 3.0, -1.0, 1.6, -2.2], rtol=1e-6)


def test_a_ratio_beyond_the_limit_pushes_no_further():
    ratio = tf.constant([1.5, 1.5, 0.5, 0.5])
    with tf.GradientTape() as tape:
        tape.watch(ratio)
        loss = clipped_surrogate(ratio, tf.constant([2.0, -2.0, 2.0, -2.0]), 0.2)
    np.testing.assert_array_equal(tape.gradient(loss, ratio), [0, 2, -2, 0])


def test_value_is_held_near_the_old_one():
    values = tf.constant([2.0, 0.0])
    batch = samples(values=tf.constant([1.0, 1.0]), returns=tf.constant([3.0, 3.0]))
    np.testing.assert_allclose(squared_error(values, batch, None), [1.0, 9.0])
    # Held, the values are 1.5 and 0.5; the larger error counts.
    np.testing.assert_allclose(squared_error(values, batch, tf.constant(0.5)), [1.5**2, 9.0])


def test_the_losses_by_hand():
    config = replace(PPOConfig(), entropy=0.1)
    loss, figures = policy_loss(tf.zeros((2, 2)), samples(), 0.2, CATEGORICAL, config)
    # The probability went from 0.25 to 0.5, a ratio of 2, which counts as 1.2.
    assert float(figures["policy_loss"]) == pytest.approx(-2.4)
    assert float(figures["entropy"]) == pytest.approx(np.log(2))
    assert float(figures["approximate_kl"]) == pytest.approx(2 - 1 - np.log(2))
    assert figures["clip_fraction"] == 1
    assert float(loss) == pytest.approx(-2.4 - 0.1 * np.log(2))
    assert float(value_loss(tf.constant([1.0, 7.0]), samples(), None)) == pytest.approx(4.0)


def test_the_loss_of_a_box_by_hand():
    """One number, of standard deviation 1: the mean went from 0 to 1, and the action was 1."""
    batch = samples(
        actions=tf.constant([[1.0], [9.0]]),
        log_probability=tf.constant([-0.5, 0.0]) - 0.918939,
        advantages=tf.constant([-2.0, 1e6]),
    )
    config = replace(PPOConfig(), entropy=0.1)
    loss, figures = policy_loss(tf.constant([[1.0, 0.0], [0.0, 0.0]]), batch, 0.2, DIAGONAL_GAUSSIAN, config)
    # The density went up by the factor exp(0.5), and a bad action is pushed back however far that is.
    assert float(figures["policy_loss"]) == pytest.approx(2 * np.exp(0.5))
    assert float(figures["entropy"]) == pytest.approx(1.418939)
    assert float(loss) == pytest.approx(2 * np.exp(0.5) - 0.1 * 1.418939)


@pytest.mark.parametrize("normalize", ["iteration", "minibatch"])
def test_what_has_no_weight_changes_nothing(normalize):
    logits = tf.constant([[0.1, 0.2], [0.3, -0.4]])
    config = replace(PPOConfig(), normalize_advantages=normalize)
    other = samples(advantages=tf.constant([2.0, -5.0]), returns=tf.constant([3.0, 0.0]))
    losses = [policy_loss(logits, batch, 0.2, CATEGORICAL, config)[0] for batch in (samples(), other)]
    np.testing.assert_array_equal(*losses)
    errors = [value_loss(tf.constant([1.0, 7.0]), batch, None) for batch in (samples(), other)]
    np.testing.assert_array_equal(*errors)


def test_the_scale_of_a_policy_multiplies_surrogate_and_entropy_alike():
    logits, config = tf.constant([[0.1, 0.2], [0.3, -0.4]]), replace(PPOConfig(), entropy=0.1)
    whole, figures = policy_loss(logits, samples(), 0.2, CATEGORICAL, config)
    quarter, same = policy_loss(logits, samples(policy_scale=tf.fill((2,), 0.25)), 0.2, CATEGORICAL, config)
    assert float(quarter) == pytest.approx(0.25 * float(whole)) and float(whole) != 0
    np.testing.assert_equal(same, figures)  # what is reported is as it was


def test_advantages_are_normalized_over_the_minibatch_when_asked():
    batch = samples(weights=tf.ones(2), advantages=tf.constant([10.0, 30.0]), log_probability=tf.math.log([0.5, 0.5]))
    config = replace(PPOConfig(), normalize_advantages="minibatch")
    logits = tf.math.log([[0.55, 0.45], [0.5, 0.5]])  # ratios 1.1 and 1
    _, figures = policy_loss(logits, batch, 0.2, CATEGORICAL, config)
    assert float(figures["policy_loss"]) == pytest.approx(-(1.1 * -1 + 1 * 1) / 2, rel=1e-5)
