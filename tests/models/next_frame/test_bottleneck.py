from __future__ import annotations

import itertools

import numpy as np
import pytest
import tensorflow as tf

from worldmodels.models.next_frame import bottleneck
from worldmodels.models.next_frame.bottleneck import BitPredictor, clean_bits, noisy_bits, to_bits, to_classes
from worldmodels.models.next_frame.config import LatentConfig
from worldmodels.models.next_frame.networks.network import QUIET, Noise

LOGITS = np.array([[0.5, -1.0, 2.0]], np.float32)
HARD, SOFT = tf.constant(1.0), tf.constant(0.0)


@pytest.fixture(scope="module")
def predictor():
    return BitPredictor(LatentConfig(bits=4, group=2, units=6), 10, np.random.default_rng(0))


def set_noise(monkeypatch, blur, flip):
    monkeypatch.setattr(bottleneck, "BLUR", blur)
    monkeypatch.setattr(bottleneck, "FLIP", flip)


def bits_and_gradient(hard, seed):
    logits = tf.constant(LOGITS)
    with tf.GradientTape() as tape:
        tape.watch(logits)
        bits = noisy_bits(logits, hard, Noise(tf.constant(seed)))
    return bits.numpy(), tape.gradient(bits, logits).numpy()


def test_bits_are_signs_with_the_gradient_of_tanh(seed, monkeypatch):
    set_noise(monkeypatch, 0.0, 0.0)
    bits, gradient = bits_and_gradient(HARD, seed)
    np.testing.assert_array_equal(bits, [[1.0, -1.0, 1.0]])
    np.testing.assert_allclose(gradient, [[0.786448, 0.419974, 0.070651]], atol=1e-5)  # 1 - tanh^2


def test_a_flipped_bit_has_the_opposite_gradient(seed, monkeypatch):
    set_noise(monkeypatch, 0.0, 1.0)
    bits, gradient = bits_and_gradient(HARD, seed)
    np.testing.assert_array_equal(bits, [[-1.0, 1.0, -1.0]])
    np.testing.assert_allclose(gradient, [[-0.786448, -0.419974, -0.070651]], atol=1e-5)


def test_early_bits_are_soft_and_never_flipped(seed, monkeypatch):
    set_noise(monkeypatch, 0.0, 1.0)
    bits, _ = bits_and_gradient(SOFT, seed)
    np.testing.assert_allclose(bits, np.tanh(LOGITS), rtol=1e-6)


def test_noise_moves_logits_and_flips_come_as_often_as_they_should(seed, monkeypatch):
    logits = tf.zeros((200, 128)) + 0.1
    set_noise(monkeypatch, 0.2, 0.0)
    blurred = noisy_bits(logits, SOFT, Noise(tf.constant(seed)))
    shift = np.arctanh(blurred.numpy()) - 0.1
    assert abs(shift.mean()) < 0.01
    assert 0.15 < shift.std() < 0.2  # cut at two deviations, 0.4
    assert abs(shift).max() < 0.41
    set_noise(monkeypatch, 0.0, 0.1)
    flipped = noisy_bits(logits, HARD, Noise(tf.constant(seed)))
    assert 0.09 < np.mean(flipped.numpy() < 0) < 0.11


def test_bytes_are_packed_with_the_first_bit_as_the_lowest_digit():
    bits = -np.ones((1, 16), np.float32)
    bits[0, [0, 3, 15]] = 1.0
    np.testing.assert_array_equal(to_classes(tf.constant(bits), 8), [[1 + 8, 128]])
    np.testing.assert_array_equal(to_bits(tf.constant([[9, 128]]), 8), bits)
    np.testing.assert_array_equal(clean_bits(tf.constant([0.1, 0.0, -3.0])), [1.0, -1.0, -1.0])


def all_bits() -> np.ndarray:
    return np.array(list(itertools.product([-1.0, 1.0], repeat=4)), np.float32)


def probabilities(predictor, bottleneck) -> np.ndarray:
    """Of all 16 combinations of 4 bits; the loss is the mean over both groups."""
    rows = tf.repeat(bottleneck, 16, 0)
    return np.exp(-2.0 * predictor.loss(rows, tf.constant(all_bits()), QUIET).numpy())


def test_the_predictor_gives_probabilities(predictor):
    chances = probabilities(predictor, tf.random.stateless_normal((1, 10), [1, 2]))
    assert chances.sum() == pytest.approx(1.0, rel=1e-5)
    assert chances.std() > 1e-3


def test_samples_come_as_often_as_the_loss_says(predictor, seed):
    bottleneck = 3.0 * tf.random.stateless_normal((1, 10), [1, 2])
    samples = predictor.sample(tf.repeat(bottleneck, 4000, 0), 1.0, seed).numpy()
    counts = [(samples == bits).all(1).mean() for bits in all_bits()]
    np.testing.assert_allclose(counts, probabilities(predictor, bottleneck), atol=0.03)


def test_temperature_0_takes_the_most_probable_group_each_time(predictor, seed):
    bottleneck = 3.0 * tf.random.stateless_normal((1, 10), [1, 2])
    chances = probabilities(predictor, bottleneck)
    classes = to_classes(tf.constant(all_bits()), 2).numpy()
    first = max(range(4), key=lambda c: chances[classes[:, 0] == c].sum())
    expected = max(np.flatnonzero(classes[:, 0] == first), key=lambda i: chances[i])
    np.testing.assert_array_equal(predictor.sample(bottleneck, 0.0, seed)[0], all_bits()[expected])


def test_no_gradient_goes_into_the_bits(predictor):
    logits, bottleneck = tf.constant([[0.5, -1.0, 2.0, 1.0]]), tf.ones((1, 10))
    with tf.GradientTape() as tape:
        tape.watch([logits, bottleneck])
        loss = predictor.loss(bottleneck, clean_bits(logits), QUIET)
    into_bits, into_bottleneck = tape.gradient(loss, [logits, bottleneck])
    assert into_bits is None
    assert np.abs(into_bottleneck).max() > 0
