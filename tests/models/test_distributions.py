from __future__ import annotations

import numpy as np
import pytest
import tensorflow as tf
import tensorflow_probability as tfp

from worldmodels.models import distributions as d

SEED = (1, 2)
LOGITS = tf.math.log([[0.5, 0.25, 0.125, 0.125]])


def frequencies(temperature: float) -> np.ndarray:
    logits = tf.repeat(LOGITS, 40_000, 0)
    index = d.sample_categorical(logits, d.gumbel_noise(logits.shape, SEED), temperature)
    return np.bincount(index, minlength=4) / 40_000


def test_temperature_1_samples_the_softmax():
    np.testing.assert_allclose(frequencies(1.0), [0.5, 0.25, 0.125, 0.125], atol=0.01)


def test_temperature_one_half_samples_the_squared_probabilities():
    # 16 : 4 : 1 : 1 out of 22.
    np.testing.assert_allclose(frequencies(0.5), np.array([16, 4, 1, 1]) / 22, atol=0.01)


def test_temperature_0_is_the_mode():
    assert frequencies(0.0).tolist() == [1, 0, 0, 0]


def test_noise_is_finite_and_depends_on_the_seed_alone():
    noise = d.gumbel_noise((100_000,), SEED).numpy()
    assert np.isfinite(noise).all()
    assert noise.mean() == pytest.approx(0.5772, abs=0.02)
    np.testing.assert_array_equal(noise, d.gumbel_noise((100_000,), SEED))
    assert not np.array_equal(noise, d.gumbel_noise((100_000,), (1, 3)))


@pytest.mark.parametrize("uniform_mix", [0.0, 0.25])
def test_a_one_hot_sample_has_the_gradient_of_the_probabilities(uniform_mix):
    logits, weights = tf.constant([[0.3, -1.2, 2.0]]), tf.constant([[1.0, 5.0, -2.0]])
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(logits)
        one_hot = d.sample_one_hot(logits, tf.constant([[0.0, 9.0, 0.0]]), 1.0, uniform_mix)
        hard = tf.reduce_sum(one_hot * weights)
        soft = tf.reduce_sum(((1.0 - uniform_mix) * tf.nn.softmax(logits) + uniform_mix / 3) * weights)
    assert one_hot.numpy().tolist() == [[0.0, 1.0, 0.0]]
    np.testing.assert_allclose(tape.gradient(hard, logits), tape.gradient(soft, logits), rtol=1e-5)


@pytest.mark.parametrize("uniform_mix", [0.0, 0.25])
def test_a_one_hot_sample_is_the_sample_of_the_mixture(uniform_mix):
    logits = tf.random.stateless_normal((1000, 4), SEED) * 3.0
    noise = d.gumbel_noise(logits.shape, SEED)
    expected = d.sample_categorical(d.mix_uniform(logits, uniform_mix), noise, 0.7)
    np.testing.assert_array_equal(tf.argmax(d.sample_one_hot(logits, noise, 0.7, uniform_mix), -1), expected)


def test_the_small_softmax_survives_large_logits():
    np.testing.assert_allclose(d.small_softmax(tf.constant([[1e4, 1e4, -1e4]])), [[0.5, 0.5, 0.0]])


def test_categorical_figures_worked_by_hand():
    fair, biased = tf.math.log([[0.5, 0.5]]), tf.math.log([[0.25, 0.75]])
    # 0.5 ln(0.5 / 0.25) + 0.5 ln(0.5 / 0.75)
    np.testing.assert_allclose(d.categorical_kl(fair, biased), [0.143841], rtol=1e-4)
    np.testing.assert_allclose(d.categorical_kl(fair, fair), [0.0], atol=1e-7)
    np.testing.assert_allclose(d.categorical_entropy(biased), [0.562335], rtol=1e-5)
    np.testing.assert_allclose(d.categorical_log_probability(biased, tf.constant([1])), [np.log(0.75)], rtol=1e-5)


def test_the_gradient_of_a_categorical_is_the_softmax_without_what_was_drawn():
    logits = tf.math.log([[0.25, 0.75], [0.5, 0.5]])
    with tf.GradientTape() as tape:
        tape.watch(logits)
        nats = d.categorical_nll(logits, tf.constant([1, 0]))
    np.testing.assert_allclose(nats, -np.log([0.75, 0.5]), rtol=1e-6)
    slopes = tape.gradient(nats, logits, tf.constant([2.0, 1.0]))
    np.testing.assert_allclose(slopes, [[2 * 0.25, 2 * -0.25], [-0.5, 0.5]], rtol=1e-6)


def test_categorical_figures_agree_with_tensorflow_probability():
    p, q = tf.random.stateless_normal((2, 5, 7), SEED)
    ours, theirs = (
        d.categorical_kl(p, q),
        tfp.distributions.Categorical(p).kl_divergence(tfp.distributions.Categorical(q)),
    )
    np.testing.assert_allclose(ours, theirs, rtol=1e-5)
    np.testing.assert_allclose(d.categorical_entropy(p), tfp.distributions.Categorical(p).entropy(), rtol=1e-5)


def test_gaussian_figures_worked_by_hand():
    # ln(2 / 1) + (1 + (3 - 1)^2) / (2 * 4) - 1 / 2
    np.testing.assert_allclose(d.gaussian_kl([3.0], [1.0], [1.0], [2.0]), [0.818147], rtol=1e-5)
    np.testing.assert_allclose(d.gaussian_entropy(tf.constant([1.0])), [1.418939], rtol=1e-6)


LN_2, HALF_LOG_2_PI = 0.693147, 0.918939
NARROW = tf.constant([[3.0, 0.0, 0.0, LN_2]])  # means 3 and 0, standard deviations 1 and 2
WIDE = tf.constant([[1.0, 0.0, LN_2, LN_2]])  # means 1 and 0, standard deviations 2 and 2


def test_diagonal_gaussian_figures_worked_by_hand():
    # -(0.5 (2 / 1)^2 + ln 1) - (0.5 (4 / 2)^2 + ln 2) and twice ln sqrt(2 pi)
    at = tf.constant([[5.0, 4.0]])
    expected = -(2.0 + 2.0 + LN_2 + 2 * HALF_LOG_2_PI)
    np.testing.assert_allclose(d.diagonal_gaussian_log_probability(NARROW, at), [expected], rtol=1e-6)
    np.testing.assert_allclose(d.diagonal_gaussian_entropy(NARROW), [LN_2 + 2 * HALF_LOG_2_PI + 1], rtol=1e-6)
    # The first number as in `gaussian_kl`, the second is the same in both.
    np.testing.assert_allclose(d.diagonal_gaussian_kl(NARROW, WIDE), [0.818147], rtol=1e-5)
    np.testing.assert_allclose(d.diagonal_gaussian_kl(NARROW, NARROW), [0.0], atol=1e-7)


def test_a_sample_of_a_diagonal_gaussian_is_its_mean_and_scaled_noise():
    noise = tf.constant([[1.0, -1.0]])
    np.testing.assert_allclose(d.sample_diagonal_gaussian(NARROW, noise), [[4.0, -2.0]], rtol=1e-6)
    np.testing.assert_allclose(d.sample_diagonal_gaussian(NARROW, noise, 0.5), [[3.5, -1.0]], rtol=1e-6)
    np.testing.assert_array_equal(d.sample_diagonal_gaussian(NARROW, noise, 0.0), [[3.0, 0.0]])


def test_fisher_information_worked_by_hand():
    # Of logits: diag(p) - p p^T, here [[3, -3], [-3, 3]] / 16.
    biased = tf.math.log([[0.25, 0.75]])
    np.testing.assert_allclose(d.categorical_fisher(biased, tf.constant([[1.0, 0.0]])), [[0.1875, -0.1875]], rtol=1e-6)
    # Of a mean: 1 over the variance; of the logarithm of a standard deviation: 2.
    direction = tf.constant([[1.0, 1.0, 1.0, 3.0]])
    np.testing.assert_allclose(d.diagonal_gaussian_fisher(NARROW, direction), [[1.0, 0.25, 2.0, 6.0]], rtol=1e-6)


@pytest.mark.parametrize(
    ("kl", "fisher"),
    [(d.categorical_kl, d.categorical_fisher), (d.diagonal_gaussian_kl, d.diagonal_gaussian_fisher)],
    ids=["categorical", "diagonal_gaussian"],
)
def test_a_small_step_costs_half_of_what_the_fisher_information_says(kl, fisher):
    step = 0.02 * tf.constant([[1.0, -2.0, 0.5, 1.5]])
    expected = 0.5 * tf.reduce_sum(step * fisher(NARROW, step), -1)
    np.testing.assert_allclose(kl(NARROW, NARROW + step), expected, rtol=0.05)
    np.testing.assert_allclose(kl(NARROW + step, NARROW), expected, rtol=0.05)


def test_a_perfect_prediction_costs_nothing():
    assert d.normal_nll(tf.constant(2.0), tf.constant(2.0)) == 0
    assert d.normal_nll(tf.constant(2.0), tf.constant(5.0)) == 4.5


def test_bernoulli_takes_soft_targets():
    # -(0.9 ln 0.5 + 0.1 ln 0.5)
    np.testing.assert_allclose(d.bernoulli_nll(tf.constant(0.0), tf.constant(0.9)), np.log(2), rtol=1e-6)


def test_uniform_mixture_keeps_every_class_alive():
    mixed = tf.nn.softmax(d.mix_uniform(tf.constant([[100.0, 0.0, 0.0, 0.0]]), 0.04))
    np.testing.assert_allclose(mixed, [[0.97, 0.01, 0.01, 0.01]], rtol=1e-4)
    assert d.mix_uniform(LOGITS, 0.0) is LOGITS


def test_symlog_and_back():
    x = tf.constant([-100.0, -1.0, 0.0, 0.5, 10.0])
    np.testing.assert_allclose(d.symexp(d.symlog(x)), x, rtol=1e-5)
    np.testing.assert_allclose(d.symlog(tf.constant(np.e - 1)), 1.0, rtol=1e-6)


def test_scaled_gradient():
    x = tf.constant(3.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = d.scale_gradient(x, 0.2) ** 2
    assert float(y) == pytest.approx(9.0)
    assert float(tape.gradient(y, x)) == pytest.approx(0.2 * 6.0)
