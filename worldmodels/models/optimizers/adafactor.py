"""Adafactor takes steps relative to the size of each weight, with a second moment that needs little memory."""

from __future__ import annotations

from collections.abc import Mapping

import tensorflow as tf

from worldmodels.models.config import AdafactorConfig
from worldmodels.models.optimizers.optimizer import Descent

DECAY = 0.8
"""The second moment forgets with the rate 1 - t ** -DECAY."""
SMALLEST_SQUARE, SMALLEST_SCALE, LARGEST_UPDATE = 1e-30, 1e-3, 1.0


class Adafactor(Descent):
    """The Adafactor optimizer (Shazeer & Stern 2018) without momentum.

    The squared gradient of a matrix is remembered by its means over rows and over columns; of a convolution's kernel,
    each matrix of channels by itself. An update is scaled down to a root mean square of 1, then multiplied by the
    learning rate. It is also multiplied by the root mean square of the weight, at least 0.001.
    """

    def __init__(self, variables: Mapping[str, tf.Variable], config: AdafactorConfig):
        self.config = config
        matrices = {name: x.shape for name, x in variables.items() if x.shape.rank >= 2}
        self._rows = {name: tf.Variable(tf.zeros(shape[:-1])) for name, shape in matrices.items()}
        self._columns = {name: tf.Variable(tf.zeros((*shape[:-2], shape[-1]))) for name, shape in matrices.items()}
        others = {name: x for name, x in variables.items() if name not in matrices}
        self._whole = {name: tf.Variable(tf.zeros_like(x)) for name, x in others.items()}
        slots = {"rows": self._rows, "columns": self._columns, "whole": self._whole}
        super().__init__(variables, config.clip, slots)

    def _numbers(self, count: tf.Tensor, share: float | tf.Tensor) -> tuple[tf.Tensor, ...]:
        return 1.0 - tf.pow(count, -DECAY), share * learning_rate(self.config, count)

    def _change(self, name: str, variable: tf.Variable, gradient: tf.Tensor, numbers: tuple[tf.Tensor, ...]) -> None:
        keep, rate = numbers
        square = tf.square(gradient) + SMALLEST_SQUARE
        if name in self._whole:
            update = gradient * tf.math.rsqrt(_average(self._whole[name], square, keep))
        else:
            rows = _average(self._rows[name], tf.reduce_mean(square, -1), keep)
            columns = _average(self._columns[name], tf.reduce_mean(square, -2), keep)
            rows /= tf.reduce_mean(rows, -1, keepdims=True)
            update = gradient * tf.math.rsqrt(rows)[..., None] * tf.math.rsqrt(columns)[..., None, :]
        rate *= tf.maximum(_rms(variable), SMALLEST_SCALE)
        variable.assign_sub(update * (rate / tf.maximum(1.0, _rms(update) / LARGEST_UPDATE)))


def learning_rate(config: AdafactorConfig, count: tf.Tensor) -> tf.Tensor:
    """Return the rate of update number `count`, float32; the first is 1."""
    warmup = float(max(config.warmup, 1))
    rate = config.learning_rate * tf.minimum(1.0, count / warmup)
    return rate * tf.math.rsqrt(tf.maximum(count, warmup)) if config.schedule == "inverse_square_root" else rate


def _average(moment: tf.Variable, value: tf.Tensor, keep: tf.Tensor) -> tf.Tensor:
    average = keep * moment + (1.0 - keep) * value
    moment.assign(average)
    return average


def _rms(x: tf.Tensor) -> tf.Tensor:
    """Return the root mean square; `l2_loss`, half the sum of squares, makes no tensor of squares."""
    return tf.sqrt(2.0 * tf.nn.l2_loss(x) / float(x.shape.num_elements()))
