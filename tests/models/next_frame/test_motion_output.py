"""The output that copies or paints."""

from __future__ import annotations

from collections.abc import Sequence
from types import SimpleNamespace

import numpy as np
import tensorflow as tf

from worldmodels.models.motion import moved
from worldmodels.models.next_frame.motion_output import MotionOutput, first_largest
from worldmodels.models.next_frame.network import Decoded
from worldmodels.models.next_frame.patch_config import MotionOutputConfig

GRID, SHAPE, SIDE = (3, 4, 5), (9, 16, 3), 4
NETWORK = SimpleNamespace(feature_shape=GRID, summary_size=6)
SILENCE = Decoded(tf.zeros((2, *GRID)), tf.zeros((2, 6)))


def output(motions: int = 1) -> MotionOutput:
    return MotionOutput(MotionOutputConfig(motions=motions, depth=6), NETWORK, SHAPE, np.random.default_rng(0))


def image(seed: int) -> np.ndarray:
    return np.random.default_rng(seed).integers(0, 256, (2, *SHAPE), np.uint8)


def silence(layer: MotionOutput) -> None:
    """All weights to zero, so that biases alone speak."""
    for weight in layer.trainable_weights:
        weight.assign(np.zeros(weight.shape))


def set_biases(layer: MotionOutput, choice: list[float], paint: Sequence[float] = (0.0, 0.0, 0.0)) -> None:
    """Every pixel's logits of its sources, and its paint."""
    count = layer.small**2
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
