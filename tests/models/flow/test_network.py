"""The flow model's network: where it begins, and what it is built for."""

from __future__ import annotations

import numpy as np
import pytest
import tensorflow as tf

from worldmodels.models.flow.network import FIRST_MOTIONS, LONGEST, FlowNetwork, GroupNorm, Past, waves
from worldmodels.models.flow.path import carried

ROWS = 2


def build(shape: tuple[int, int, int]) -> FlowNetwork:
    return FlowNetwork(shape, 2, 3, 8, 1, np.random.default_rng(1), "flow")


def past_of(shape: tuple[int, int, int]) -> Past:
    height, width, channels = shape
    frames = np.random.default_rng(2).uniform(-1, 1, (ROWS, height, width, 2 * channels))
    return Past(tf.constant(frames, tf.float32), tf.ones((ROWS, 6)), tf.zeros((ROWS,)))


@pytest.mark.parametrize("shape", [(16, 16, 3), (18, 13, 1), (64, 48, 4)])
def test_it_begins_with_the_last_frame_hardly_moved(shape: tuple[int, int, int]) -> None:
    past = past_of(shape)
    frame = build(shape)(tf.random.stateless_normal((ROWS, *shape), (1, 2)), tf.fill((ROWS,), 0.3), past)
    last = past.frames[..., -shape[2] :]
    moved = tf.reduce_sum(carried(last, tf.constant([FIRST_MOTIONS] * ROWS, tf.float32)), 1)
    # The weights of the frame, of each of four motions and of grey paint, 0: powers of e, 2, 0 and -2.
    e = np.e
    np.testing.assert_allclose(frame, (e**2 * last + moved) / (e**2 + 4 + e**-2), atol=1e-5)


def test_nothing_is_copied_from_outside_the_last_frame() -> None:
    shape = (16, 16, 3)
    network = build(shape)
    down = np.zeros((len(FIRST_MOTIONS), 2), np.float32)
    down[0, 0] = 2.0  # pixels
    network.motion.bias.assign(np.arctanh(down.ravel() / LONGEST))
    x, times = tf.random.stateless_normal((ROWS, *shape), (1, 2)), tf.fill((ROWS,), 0.3)
    shares = tf.nn.softmax(network.pictures(x, times, past_of(shape)).logits)[..., 1]
    # e ** 2 for the last frame, 1 for each motion, e ** -2 for paint; nothing where rows enter.
    np.testing.assert_array_equal(shares[:, :2], 0.0)
    np.testing.assert_allclose(shares[:, 2:], 1.0 / (np.e**2 + 4 + np.e**-2), rtol=1e-5)


def test_groups_of_channels_have_mean_0_and_variance_1() -> None:
    norm = GroupNorm(16, "norm")  # 8 groups of two channels
    x = tf.constant(np.random.default_rng(3).normal(5.0, 3.0, (2, 6, 5, 16)), tf.float32)
    groups = tf.reshape(norm(x), (2, 30, 8, 2)).numpy()
    np.testing.assert_allclose(groups.mean((1, 3)), 0.0, atol=1e-5)
    np.testing.assert_allclose(groups.var((1, 3)), 1.0, atol=1e-4)
    scale, shift = tf.fill((2, 16), 2.0), tf.fill((2, 16), -1.0)
    np.testing.assert_allclose(norm(x, scale, shift), 3.0 * norm(x) - 1.0, atol=1e-4)


def test_waves_tell_numbers_apart() -> None:
    embedded = waves(tf.constant([0.0, 0.001, 0.5, 1.0])).numpy()
    assert embedded.shape == (4, 32)
    np.testing.assert_allclose(embedded[0], [0.0] * 16 + [1.0] * 16, atol=1e-6)
    apart = np.abs(embedded[:, None] - embedded[None]).max(-1)
    assert apart[np.triu_indices(4, 1)].min() > 0.1
