"""LaProp with adaptive gradient clipping: the optimizer of DreamerV3."""

from __future__ import annotations

from collections.abc import Mapping

import tensorflow as tf

from worldmodels.models.config import LaPropConfig
from worldmodels.models.optimizers.optimizer import Descent, warmed_up
from worldmodels.models.optimizers.schedules import value_at

SMALLEST_NORM = 1e-3
"""Norm that a weight has at least where gradients are clipped by it, so that weights of zero can grow."""


class LaProp(Descent):
    """The LaProp optimizer (Ziyin et al. 2020): gradients are divided by their size first, then averaged over time.

    In Adam a large gradient weighs upon the average long after it is gone; here each update weighs as much. Each
    weight's gradient is clipped by the norm of that weight (Brock et al. 2021), so no global norm is needed.
    """

    def __init__(self, variables: Mapping[str, tf.Variable], config: LaPropConfig):
        self.config = config
        self._first = {name: tf.Variable(tf.zeros_like(value)) for name, value in variables.items()}
        self._second = {name: tf.Variable(tf.zeros_like(value)) for name, value in variables.items()}
        super().__init__(variables, float("inf"), {"first": self._first, "second": self._second})

    def _numbers(self, count: tf.Tensor, share: float | tf.Tensor) -> tuple[tf.Tensor, ...]:
        config = self.config
        rate = share * value_at(config.learning_rate, count) * warmed_up(config.warmup, count)
        return rate / (1.0 - tf.pow(config.beta1, count)), 1.0 - tf.pow(config.beta2, count)

    def _change(self, name: str, variable: tf.Variable, gradient: tf.Tensor, numbers: tuple[tf.Tensor, ...]) -> None:
        rate, bias = numbers
        config, first, second = self.config, self._first[name], self._second[name]
        gradient = _clipped(gradient, variable, config.clip_ratio)
        square = second.assign(config.beta2 * second + (1.0 - config.beta2) * tf.square(gradient))
        step = gradient / (tf.sqrt(square / bias) + config.epsilon)
        variable.assign_sub(rate * first.assign(config.beta1 * first + (1.0 - config.beta1) * step))


def _clipped(gradient: tf.Tensor, variable: tf.Variable, ratio: float) -> tf.Tensor:
    """Return a gradient whose norm is at most `ratio` times that of the weight."""
    allowed = ratio * tf.maximum(tf.norm(variable), SMALLEST_NORM)
    return gradient * tf.minimum(1.0, allowed / tf.maximum(tf.norm(gradient), 1e-12))
