from __future__ import annotations

import numpy as np
import tensorflow as tf

from worldmodels.models.next_frame.networks import conv_layers
from worldmodels.models.next_frame.networks.conv_layers import DoublingConv, HalvingConv, Inject, timing_signal


def image(*shape: int) -> tf.Tensor:
    return tf.random.stateless_normal(shape, [1, 2])


def test_small_convolutions_are_the_same_as_products(monkeypatch):
    """Both ways of writing them agree, in value and gradients."""
    for layer in (HalvingConv(3, 5, np.random.default_rng(0), "a"), DoublingConv(3, 5, np.random.default_rng(0), "b")):
        with tf.GradientTape(persistent=True) as tape:
            x = image(2, 6, 4, 3)
            tape.watch(x)
            product = layer(x)
            monkeypatch.setattr(conv_layers, "SMALL", 0)
            convolution = layer(x)
            monkeypatch.undo()
            losses = [tf.reduce_sum(tf.sin(y)) for y in (product, convolution)]
        np.testing.assert_allclose(product, convolution, atol=1e-5)
        for source in (x, layer.kernel.value):
            one, other = (tape.gradient(loss, source) for loss in losses)
            np.testing.assert_allclose(one, other, atol=1e-4)


def test_standardise_by_hand():
    """Values 0, 0, 0, 8 have the mean 2 and the deviation sqrt(12); a plain channel is 0."""
    images = np.zeros((1, 2, 2, 2), np.uint8)
    images[0, 1, 1, 0], images[..., 1] = 8, 77
    result = conv_layers.standardise(tf.constant(images)).numpy()
    np.testing.assert_allclose(result[0, :, :, 0], np.array([[-2, -2], [-2, 6]]) / np.sqrt(12), rtol=1e-6)
    np.testing.assert_array_equal(result[..., 1], 0)


def test_the_timing_signal_says_row_and_column():
    signal = timing_signal(3, 2, 9)
    assert signal.shape == (1, 3, 2, 9)
    # Two scales, 1 and 10,000: sine and cosine of the row, then of the column, and one channel left over.
    expected = [np.sin(2), np.sin(2e-4), np.cos(2), np.cos(2e-4), np.sin(1), np.sin(1e-4), np.cos(1), np.cos(1e-4), 0]
    np.testing.assert_allclose(signal[0, 2, 1], expected, rtol=1e-6)


def test_odd_sides_are_padded_below_and_to_the_right():
    padded = conv_layers.pad_to_even(tf.ones((1, 3, 4, 1)))
    np.testing.assert_array_equal(padded[0, :, :, 0], [[1] * 4] * 3 + [[0] * 4])


def test_an_injection_gates_and_shifts_every_pixel():
    inject = Inject(2, 1, np.random.default_rng(0), "inject")
    inject.gate.kernel.assign([[100.0], [-100.0]])
    inject.shift.kernel.assign([[3.0], [4.0]])
    result = inject(tf.constant([[[[5.0], [6.0]]]] * 2), tf.constant([[1.0, 0.0], [0.0, 1.0]]))
    np.testing.assert_allclose(result[:, 0, :, 0], [[8.0, 9.0], [4.0, 4.0]], atol=1e-5)
