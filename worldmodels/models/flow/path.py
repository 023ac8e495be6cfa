"""The mathematics of rectified flow (Liu et al. 2023) and of frames that are carried along a motion. Pure functions.

A path leads straight from noise to a frame, x_t = (1 - t) noise + t frame, for times t from 0 to 1. The network
predicts the frame at the end of the path from a point on it. Colours are from -1 to 1.
"""

from __future__ import annotations

from collections.abc import Callable

import tensorflow as tf

CENTRE, SPREAD = -0.3, 1.0
"""Mean and deviation of the logits of times in training (Esser et al. 2024)."""
SOFTENING = 0.15
"""Addition to 1 - t in the loss's weight, which keeps the weight finite at the end of a path."""


def on_path(noise: tf.Tensor, frames: tf.Tensor, times: tf.Tensor) -> tf.Tensor:
    """Return the points (N, H, W, C) of the paths from `noise` to `frames` at `times` (N,)."""
    times = times[:, None, None, None]
    return (1.0 - times) * noise + times * frames


def times_of(normals: tf.Tensor) -> tf.Tensor:
    """Return times in (0, 1) for training, from standard normal numbers of any shape."""
    return tf.sigmoid(CENTRE + SPREAD * normals)


def loss_weight(times: tf.Tensor) -> tf.Tensor:
    """Return the weight of a frame's squared error at `times`: late on a path, small errors matter."""
    return 1.0 / (1.0 - times + SOFTENING)


def sample(predict: Callable[[tf.Tensor, tf.Tensor], tf.Tensor], noise: tf.Tensor, calls: int | tf.Tensor) -> tf.Tensor:
    """Follow the path from `noise` (N, H, W, C) in `calls` Euler steps of equal length, and return its end.

    Args:
        predict: returns the frame, (N, H, W, C), for points on the paths and their times, float32 (N,).
    """

    # A loop, so that the network is traced once however often it is called.
    return tf.while_loop(
        lambda call, _: call < calls,
        lambda call, x: (call + 1, step(predict, call, calls, x)[1]),
        (tf.constant(0), noise),
    )[1]


def stages(
    predict: Callable[[tf.Tensor, tf.Tensor], tf.Tensor], noise: tf.Tensor, calls: int | tf.Tensor
) -> tuple[tf.Tensor, tf.Tensor]:
    """Return the frames that all calls of `sample` but the last predict, (calls - 1, N, H, W, C), and the point (N, H,
    W, C) from which the last call goes on."""

    def note(call: tf.Tensor, x: tf.Tensor, frames: tf.TensorArray) -> tuple[tf.Tensor, tf.Tensor, tf.TensorArray]:
        frame, x = step(predict, call, calls, x)
        return call + 1, x, frames.write(call, frame)

    frames = tf.TensorArray(tf.float32, calls - 1, element_shape=noise.shape)
    loop = tf.while_loop(lambda call, *_: call < calls - 1, note, (tf.constant(0), noise, frames))
    return loop[2].stack(), loop[1]


def step(
    predict: Callable[[tf.Tensor, tf.Tensor], tf.Tensor], call: tf.Tensor, calls: int | tf.Tensor, x: tf.Tensor
) -> tuple[tf.Tensor, tf.Tensor]:
    """Return the frame that a call predicts, cut to the range of colours, and the point (N, H, W, C) after its step.

    Args:
        call: the number of the call, from 0.
        x: the point (N, H, W, C) from which the step goes.
    """
    left = tf.cast(calls - call, tf.float32)
    times = tf.fill(tf.shape(x)[:1], 1.0 - left / tf.cast(calls, tf.float32))
    frame = tf.clip_by_value(predict(x, times), -1.0, 1.0)
    return frame, x + (frame - x) / left


def carried(frames: tf.Tensor, shifts: tf.Tensor) -> tf.Tensor:
    """Return frames moved by each of M shifts, with edges repeated: float32 (N, M, H, W, C).

    Args:
        frames: float32 (N, H, W, C).
        shifts: float32 (N, M, 2), pixels down and right, fractions between neighbours interpolated.
    """
    _, height, width, channels = frames.shape
    count = shifts.shape[1]
    rows = _interpolation(shifts[..., 0], height)
    moved = tf.matmul(rows, tf.reshape(frames, (-1, 1, height, width * channels)))
    # Columns become rows, so that one product moves a whole picture.
    turned = tf.transpose(tf.reshape(moved, (-1, count, height, width, channels)), (0, 1, 3, 2, 4))
    columns = _interpolation(shifts[..., 1], width)
    moved = tf.matmul(columns, tf.reshape(turned, (-1, count, width, height * channels)))
    return tf.transpose(tf.reshape(moved, (-1, count, width, height, channels)), (0, 1, 3, 2, 4))


def from_outside(shifts: tf.Tensor, height: int, width: int) -> tf.Tensor:
    """Return where each of M shifts moves a pixel from over half a pixel beyond the edge: bool (N, height, width, M).

    Args:
        shifts: float32 (N, M, 2), pixels down and right.
    """
    rows = tf.range(height, dtype=tf.float32)[:, None] - shifts[:, None, :, 0]
    columns = tf.range(width, dtype=tf.float32)[:, None] - shifts[:, None, :, 1]
    return _beyond(rows, height)[:, :, None] | _beyond(columns, width)[:, None]


def _beyond(sources: tf.Tensor, size: int) -> tf.Tensor:
    return (sources < -0.5) | (sources > size - 0.5)


def _interpolation(shifts: tf.Tensor, size: int) -> tf.Tensor:
    """Return matrices (N, M, size, size) that move a line of `size` pixels by shifts (N, M)."""
    places = tf.range(size, dtype=tf.float32)
    sources = tf.clip_by_value(places - shifts[..., None], 0.0, size - 1.0)
    return tf.maximum(1.0 - tf.abs(sources[..., None] - places), 0.0)


def mixed(logits: tf.Tensor, frames: tf.Tensor) -> tf.Tensor:
    """Return the means of F frames, float32 (N, H, W, C), weighted at each pixel by the softmax of logits.

    Args:
        logits: float32 (N, H, W, F).
        frames: float32 (N, F, H, W, C).
    """
    return tf.reduce_sum(frames * tf.transpose(tf.nn.softmax(logits), (0, 3, 1, 2))[..., None], 1)


def to_colours(images: tf.Tensor) -> tf.Tensor:
    """Return uint8 images as float32 from -1 to 1."""
    return tf.cast(images, tf.float32) * (1 / 127.5) - 1.0


def to_images(colours: tf.Tensor) -> tf.Tensor:
    """Return the inverse of `to_colours`, rounded and clipped."""
    return tf.cast(tf.clip_by_value(tf.round((colours + 1.0) * 127.5), 0.0, 255.0), tf.uint8)
