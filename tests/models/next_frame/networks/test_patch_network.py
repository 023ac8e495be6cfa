"""The layout of patches: shapes for any image size, and what depends on what."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest
import tensorflow as tf

from worldmodels.models.config import grid_shape, patch_side
from worldmodels.models.motion import cover
from worldmodels.models.next_frame.config import PatchNetworkConfig
from worldmodels.models.next_frame.networks.network import QUIET, NetworkShape, build_inference, build_network

CONFIG = PatchNetworkConfig(patch=8, depth=6, bottleneck=7, blocks=1)
ACTIONS = 3


@pytest.mark.parametrize(
    ("height", "width", "grid", "side"),
    [(64, 64, (8, 8), 8), (105, 80, (14, 10), 8), (9, 16, (2, 2), 8), (9, 9, (2, 2), 6), (5, 3, (1, 1), 6)],
)
def test_the_grid_covers_images_of_any_size(height, width, grid, side):
    assert grid_shape((height, width, 3), 8) == grid
    assert patch_side((height, width, 3), grid) == side
    assert cover(tf.zeros((1, height, width, 3)), grid, side).shape[1:3] == (grid[0] * side, grid[1] * side)


def test_what_lies_beyond_the_image_mirrors_it():
    row = np.arange(3, dtype=np.uint8).reshape(1, 1, 3, 1)
    assert cover(row, (1, 2), 2)[0, :, :, 0].numpy().tolist() == [[0, 1, 2, 2]] * 2


@pytest.mark.parametrize("memory", [0, 2])
def test_shapes(memory):
    shape = NetworkShape((9, 17, 3), 2, ACTIONS, memory)
    network = build_network(CONFIG, shape, np.random.default_rng(0))
    assert network.bottleneck_shape == (1, 1, 7)
    assert network.feature_shape == (2, 3, 6)
    assert network.memory_shape == ((2, 3, 2) if memory else (0, 0, 0))
    remembered = tf.zeros((4, *network.memory_shape))
    encoded = network.encode(tf.zeros((4, 9, 17, 6), tf.uint8), remembered, tf.zeros(4, tf.int32), QUIET)
    decoded = network.decode(encoded, QUIET)
    assert encoded.bottleneck.shape == (4, *network.bottleneck_shape)
    assert decoded.features.shape == (4, *network.feature_shape)
    assert decoded.summary.shape == (4, network.summary_size)
    if memory:
        assert network.update_memory(remembered, tf.zeros((4, 9, 17, 3), tf.uint8)).shape == remembered.shape


def test_every_patch_sees_all_pixels_and_the_action():
    network = build_network(CONFIG, NetworkShape((16, 16, 3), 1, ACTIONS, 0), np.random.default_rng(0))

    def features(frames, action):
        encoded = network.encode(frames, tf.zeros((1, 0, 0, 0)), tf.constant([action]), QUIET)
        return network.decode(encoded, QUIET).features[0].numpy()

    black = np.zeros((1, 16, 16, 3), np.uint8)
    corner = black.copy()
    corner[0, 0, 0] = 255
    nothing = features(black, 0)
    assert (np.abs(features(corner, 0) - nothing).max(-1) > 1e-4).all()
    assert (np.abs(features(black, 1) - nothing).max(-1) > 1e-4).all()


def test_each_patch_is_told_how_its_content_moved_last():
    config = dataclasses.replace(CONFIG, patch_motions=True)
    network = build_network(config, NetworkShape((16, 16, 3), 2, ACTIONS, 0), np.random.default_rng(0))
    for weight in network.trainable_weights:
        weight.assign(np.zeros(weight.shape))
    side = 8
    told = np.zeros((2, 2 * side + 1, config.depth), np.float32)
    told[0, side + 2, 0] = told[1, side - 1, 1] = 1  # unit 0 is told of 2 down, unit 1 of 1 left
    network.patch_momentum.kernel.assign(told.reshape(-1, config.depth))
    frames = np.zeros((1, 16, 16, 6), np.uint8)
    frames[0, 1:3, 4:6, :3], frames[0, 3:5, 3:5, 3:] = 200, 200  # in the upper left patch
    seen = network.encode(frames, tf.zeros((1, 0, 0, 0)), tf.zeros(1, tf.int32), QUIET).rest[0].numpy()
    expected = np.zeros((2, 2, config.depth))
    expected[0, 0, :2] = 1
    np.testing.assert_array_equal(seen, expected)


def test_bits_are_read_off_the_target():
    inference = build_inference(CONFIG, NetworkShape((9, 9, 3), 1, ACTIONS, 2), 5, np.random.default_rng(0))
    frame = np.random.default_rng(1).integers(0, 256, (2, 9, 9, 3), np.uint8)
    action = tf.zeros(2, tf.int32)
    same, other = inference(frame, frame, action), inference(frame, 255 - frame, action)
    assert same.shape == (2, 5)
    assert np.abs(same - other).max() > 1e-2


def test_what_came_before_reaches_the_memory():
    network = build_network(CONFIG, NetworkShape((8, 8, 3), 1, ACTIONS, 2), np.random.default_rng(0))
    frame = tf.zeros((1, 8, 8, 3), tf.uint8)
    empty = network.update_memory(tf.zeros((1, 1, 1, 2)), frame)
    full = network.update_memory(tf.ones((1, 1, 1, 2)), frame)
    assert np.abs(empty - full).max() > 1e-2
