from __future__ import annotations

import numpy as np
import pytest
import tensorflow as tf

from worldmodels.agents.distributions.policy_distributions import (
    CATEGORICAL,
    DIAGONAL_GAUSSIAN,
    ONE_HOT,
    SQUASHED_NORMAL,
    TRUNCATED_NORMAL,
    policy_distribution,
)
from worldmodels.core.specs import ActionSpec

SEED, OTHER = tf.constant([1, 2]), tf.constant([1, 3])
CHOICES = tf.math.log([[0.5, 0.25, 0.25]])
POINT = tf.constant([[0.5, -0.5, np.log(0.1), np.log(2.0)]])


def test_the_actions_decide():
    assert policy_distribution(ActionSpec(3)) is CATEGORICAL
    assert policy_distribution(ActionSpec(low=(0.0,), high=(1.0,))) is DIAGONAL_GAUSSIAN


def test_samples_have_the_frequencies_of_the_choices():
    drawn = CATEGORICAL.sample(tf.repeat(CHOICES, 20_000, 0), SEED, 1.0)
    np.testing.assert_allclose(np.bincount(drawn) / 20_000, [0.5, 0.25, 0.25], atol=0.015)


def test_samples_have_mean_and_deviation_and_are_not_clipped():
    drawn = DIAGONAL_GAUSSIAN.sample(tf.repeat(POINT, 20_000, 0), SEED, 1.0).numpy()
    assert drawn.shape == (20_000, 2)
    np.testing.assert_allclose(drawn.mean(0), [0.5, -0.5], atol=0.05)
    np.testing.assert_allclose(drawn.std(0), [0.1, 2.0], rtol=0.02)
    assert np.abs(drawn).max() > 1


@pytest.mark.parametrize(
    ("distribution", "parameters", "mode"),
    [
        (CATEGORICAL, CHOICES, [0]),
        (ONE_HOT, CHOICES, [[1, 0, 0]]),
        (DIAGONAL_GAUSSIAN, POINT, [[0.5, -0.5]]),
        (TRUNCATED_NORMAL, POINT, tf.tanh([[0.5, -0.5]])),
        (SQUASHED_NORMAL, POINT, tf.tanh(5.0 * tf.tanh([[0.1, -0.1]]))),
    ],
    ids=["categorical", "one-hot", "gaussian", "truncated", "squashed"],
)
def test_temperature_0_is_the_mode_and_the_seed_decides_otherwise(distribution, parameters, mode):
    np.testing.assert_array_equal(distribution.sample(parameters, SEED, 0.0), mode)
    many = tf.repeat(parameters, 100, 0)
    first, again, other = (distribution.sample(many, seed, 1.0).numpy() for seed in (SEED, SEED, OTHER))
    np.testing.assert_array_equal(first, again)
    assert (first != other).any()


@pytest.mark.parametrize("distribution", [ONE_HOT, TRUNCATED_NORMAL, SQUASHED_NORMAL], ids=["one-hot", "tn", "sn"])
def test_entropies_agree_with_samples(distribution):
    p = tf.repeat(CHOICES if distribution is ONE_HOT else POINT, 50_000, 0)
    nats = -distribution.log_probability(p, distribution.sample(p, SEED, 1.0))
    assert float(distribution.entropy(p)[0]) == pytest.approx(float(tf.reduce_mean(nats)), abs=0.02)


def test_one_hot_actions_are_the_same_draws_with_the_gradient_of_the_probabilities():
    logits = tf.repeat(CHOICES, 50, 0)
    with tf.GradientTape() as tape:
        tape.watch(logits)
        drawn = ONE_HOT.sample(logits, SEED, 1.0)
        last = tf.reduce_sum(drawn[:, 2])
    choices = CATEGORICAL.sample(logits, SEED, 1.0)
    np.testing.assert_array_equal(drawn, tf.one_hot(choices, 3))
    # The softmax's gradient of the last probability, 0.25: p_2 (1[i = 2] - p_i).
    np.testing.assert_allclose(tape.gradient(last, logits)[0], [-0.125, -0.0625, 0.1875], rtol=1e-5)
    one_hot, index = ONE_HOT.log_probability(logits, drawn), CATEGORICAL.log_probability(logits, choices)
    np.testing.assert_allclose(one_hot, index, rtol=1e-5)


@pytest.mark.parametrize("distribution", [TRUNCATED_NORMAL, SQUASHED_NORMAL], ids=["truncated", "squashed"])
def test_samples_stay_in_the_box_at_every_temperature(distribution):
    for temperature in (0.0, 0.5, 1.0):
        drawn = distribution.sample(tf.repeat(POINT, 5_000, 0), SEED, temperature)
        assert drawn.shape == (5_000, 2) and float(tf.reduce_max(tf.abs(drawn))) <= 1.0


@pytest.mark.parametrize("distribution", [CATEGORICAL, DIAGONAL_GAUSSIAN], ids=lambda one: one.extra)
def test_figures_agree_with_samples(distribution):
    """The entropy is the mean of -log p, and a KL the mean difference of log-probabilities, over samples of p."""
    p = tf.repeat(CHOICES if distribution is CATEGORICAL else POINT, 50_000, 0)
    q = p + 0.3
    drawn = distribution.sample(p, SEED, 1.0)
    nats, other = (-distribution.log_probability(parameters, drawn) for parameters in (p, q))
    assert float(distribution.entropy(p)[0]) == pytest.approx(float(tf.reduce_mean(nats)), abs=0.02)
    assert float(distribution.kl(p, q)[0]) == pytest.approx(float(tf.reduce_mean(other - nats)), rel=0.05, abs=1e-4)
