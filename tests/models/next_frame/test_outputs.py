"""The output that copies or paints."""

from __future__ import annotations

from collections.abc import Sequence
from types import SimpleNamespace

import numpy as np
import tensorflow as tf

from worldmodels.models.motion import moved
from worldmodels.models.next_frame.config import MotionOutputConfig
from worldmodels.models.next_frame.networks.network import Decoded
from worldmodels.models.next_frame.outputs import MotionOutput, first_largest

GRID, SHAPE, SIDE = (3, 4, 5), (9, 16, 3), 4
NETWORK = SimpleNamespace(feature_shape=GRID, summary_size=6)
SILENCE = Decoded(tf.zeros((2, *GRID)), tf.zeros((2, 6)))


def output(motions: int = 1, patch_motions: bool = False, **settings: float) -> MotionOutput:
    config = MotionOutputConfig(motions=motions, depth=6, patch_motions=patch_motions, **settings)
    return MotionOutput(config, NETWORK, SHAPE, np.random.default_rng(0))


def image(seed: int) -> np.ndarray:
    return np.random.default_rng(seed).integers(0, 256, (2, *SHAPE), np.uint8)


def silence(layer: MotionOutput) -> None:
    """All weights to zero, so that biases alone speak."""
    for weight in layer.trainable_weights:
        weight.assign(np.zeros(weight.shape))


def set_biases(layer: MotionOutput, choice: list[float], paint: Sequence[float] = (0.0, 0.0, 0.0)) -> None:
    """Every pixel's logits of its sources, and its paint."""
    count = layer.squares.pixels
    layer.pixels.bias.assign(np.concatenate([np.tile(choice, count), np.tile(paint, count)]).astype(np.float32))


def set_motion(layer: MotionOutput, down: int, right: int) -> None:
    """The most probable motion by far."""
    layer.motions.bias.assign(20.0 * np.eye(2 * SIDE + 1, dtype=np.float32)[[SIDE + down, SIDE + right]].ravel())


def test_without_weights_the_frame_stands_still():
    layer, newest = output(), image(0)
    silence(layer)
    np.testing.assert_array_equal(layer.frame(SILENCE, newest), newest)


def test_pixels_move_where_their_motion_is_chosen():
    layer, newest = output(), image(0)
    silence(layer)
    set_motion(layer, 1, -2)
    set_biases(layer, [0, 3, 0])  # standing still has 2
    expected = moved(newest, tf.constant([[1, -2]] * 2))
    np.testing.assert_array_equal(layer.frame(SILENCE, newest), expected)


def test_a_blended_pixel_is_the_mean_of_its_sources():
    """Of standing still, of a motion and of paint, with shares of 1/2, 1/4 and 1/4."""
    layer, newest = output(blend=True), image(0)
    silence(layer)
    set_motion(layer, 1, -2)
    set_biases(layer, [np.log(2) - 2, 0, 0], paint=[0.1, 0.2, 0.3])  # standing still has 2 more
    copy = moved(newest, tf.constant([[1, -2]] * 2)).numpy().astype(float)
    # Colours are numbers from -0.5 to 0.5.
    expected = 0.5 * newest + 0.25 * copy + 0.25 * 255 * np.array([0.6, 0.7, 0.8])
    np.testing.assert_allclose(layer.frame(SILENCE, newest), expected, atol=1.0)


def test_each_patch_moves_on_its_own_where_that_is_chosen():
    layer, newest = output(patch_motions=True), image(0)
    silence(layer)
    features = np.zeros((2, *GRID), np.float32)
    features[:, 0, 1, 0] = 1  # the second patch of the first row
    down_1_left_2 = np.zeros((GRID[2], 2, 2 * SIDE + 1), np.float32)
    down_1_left_2[0, 0, SIDE + 1] = down_1_left_2[0, 1, SIDE - 2] = 20
    layer.patch_motions.kernel.assign(down_1_left_2.reshape(GRID[2], -1))
    still = np.eye(2, 2 * SIDE + 1, SIDE, dtype=np.float32)
    still[1] = still[0]
    layer.patch_motions.bias.assign(still.ravel())
    set_biases(layer, [0, 0, 3, 0])  # standing still, the picture's motion, the patch's, paint
    expected = newest.copy()
    expected[:, :4, 4:8] = moved(newest, tf.constant([[1, -2]] * 2))[:, :4, 4:8]
    np.testing.assert_array_equal(layer.frame(Decoded(tf.constant(features), SILENCE.summary), newest), expected)


def test_motions_of_patches_are_learned_from_those_that_matching_finds():
    layer = output(patch_motions=True)
    silence(layer)
    newest = np.zeros((2, *SHAPE), np.uint8)
    target = newest.copy()
    newest[:, 0:2, 8:10] = 200
    target[:, 1:3, 9:11] = 200
    before = layer.loss(SILENCE, newest, target, 0.0).numpy()
    layer.patch_motions.bias.assign(5 * np.eye(2 * SIDE + 1, dtype=np.float32)[[SIDE + 1, SIDE + 1]].ravel())
    after = layer.loss(SILENCE, newest, target, 0.0).numpy()
    # Of 12 patches one moves and counts 1, the others stand still and count 0.1 each: 9 classes, right with 5 nats
    # more or wrong with 5 nats less than all others.
    others = np.log(8 + np.exp(5))
    expected = np.log(9) - (1 * (others - 5) + 1.1 * others) / 2.1
    np.testing.assert_allclose(before - after, [expected] * 2, rtol=1e-4)


def test_pixels_are_painted_where_paint_is_chosen():
    layer, newest = output(), image(0)
    silence(layer)
    set_biases(layer, [0, 0, 3], [-0.5, 0.1, 7.0])
    frame = layer.frame(SILENCE, newest).numpy()
    assert (frame == [0, 153, 255]).all()


def test_a_still_picture_costs_nothing_where_every_copy_stands_still():
    layer, newest = output(), image(0)
    silence(layer)
    set_biases(layer, [20, 0, 0])
    set_motion(layer, 0, 0)
    np.testing.assert_allclose(layer.loss(SILENCE, newest, newest, 0.0), 0.0, atol=1e-6)
    assert (layer.loss(SILENCE, newest, image(1), 0.0).numpy() > 0.1).all()


def pixel_nats(target: np.ndarray, choice: list[float], moved_scale: float) -> np.ndarray:
    """What the pixels of two pictures cost that were black, where each makes this choice."""
    layer, newest = output(moved_scale=moved_scale), np.zeros((2, *SHAPE), np.uint8)
    silence(layer)
    motion_nats = np.log(2 * SIDE + 1)  # of its rows, and of its columns, nothing is known: the mean of both
    set_biases(layer, choice)
    return layer.loss(SILENCE, newest, target, 0.0).numpy() - motion_nats


def test_pixels_that_moved_weigh_more_and_all_weights_have_a_mean_of_one():
    target = np.zeros((2, *SHAPE), np.uint8)
    target[0, 4, 4:8] = 200  # 4 of the 2 x 12 x 16 pixels that patches of 4 cover
    target[1, 4, 4] = 2  # within SPREAD
    stand_still = [6, 0, 0]  # 8 with what it leads by: to move has a probability of 2 exp(-8)
    alike, weighed = (pixel_nats(target, stand_still, scale) for scale in (0, 9))
    mean = (4 * 10 + 380) / 384
    np.testing.assert_allclose(weighed, alike * [10 / mean, 1 / mean], rtol=0.02)  # still pixels of the first
    assert (alike > 0).all()


def test_pixels_that_are_said_to_move_weigh_as_much_as_those_that_do():
    target = np.zeros((2, *SHAPE), np.uint8)
    target[0, 4, 4:8] = 200
    move = [0, 20, 0]
    np.testing.assert_allclose(pixel_nats(target, move, 9), pixel_nats(target, move, 0), rtol=1e-4)


def test_it_learns_to_move_the_picture():
    layer, newest = output(), image(0)
    noise = np.random.default_rng(1)
    decoded = Decoded(*(tf.constant(noise.normal(size=x.shape).astype(np.float32)) for x in SILENCE))
    target = moved(newest, tf.constant([[0, 1]] * 2)).numpy()
    variables = [weight.value for weight in layer.trainable_weights]
    optimizer = tf.keras.optimizers.Adam(0.03)

    @tf.function(autograph=False)
    def update():
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(layer.loss(decoded, newest, target, 0.0))
        optimizer.apply_gradients(zip(tape.gradient(loss, variables), variables, strict=True))

    for _ in range(60):
        update()
    np.testing.assert_array_equal(layer.frame(decoded, newest).numpy(), target)


def test_of_equal_values_the_first_is_the_largest():
    values = np.random.default_rng(0).integers(0, 3, (50, 7, 4)).astype(np.float32)
    np.testing.assert_array_equal(first_largest(values), values.argmax(-1))
