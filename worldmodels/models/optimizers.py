"""Optimizers take steps, clip gradients, follow schedules, and keep everything that a restart needs in one tree."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import tensorflow as tf

from worldmodels.core.configuration.ranges import parse_schedule
from worldmodels.models.config import AdafactorConfig, LaPropConfig, OptimizerConfig
from worldmodels.models.devices import mean_over_devices
from worldmodels.models.variables import load_variables, save_variables


def value_at(number: float | str, updates: tf.Tensor) -> float | tf.Tensor:
    """Return a number after so many updates, a scalar: a constant as it is, of a schedule a float32 scalar."""
    if not isinstance(number, str):
        return number
    schedule = parse_schedule(number)
    share = tf.cast(updates, tf.float32) / schedule.updates
    if schedule.kind == "exp":
        return schedule.last + (schedule.first - schedule.last) * tf.pow(0.5, share)
    along = schedule.first + (schedule.last - schedule.first) * tf.minimum(share, 1.0)
    return 1.0 - 1.0 / along if schedule.kind == "horizon" else along


SMALLEST_NORM = 1e-3
"""Smallest norm of a weight in the clipping of its gradient, so that weights of zero can grow."""


class Gradients(NamedTuple):
    """The gradients of a loss by the variables of an optimizer, before they are clipped."""

    values: list[tf.Tensor]
    norm: tf.Tensor
    finite: tf.Tensor
    """Whether loss and gradients are finite."""


class Descent:
    """The shared part of all optimizers, which clips by the global norm and then steps.

    A gradient that is not finite changes nothing, neither the variables nor the moments nor the count.
    """

    def __init__(self, variables: Mapping[str, tf.Variable], clip: float, slots: dict[str, dict[str, tf.Variable]]):
        """Prepare `slots`, the running figures of past gradients, by name and by the variable's name."""
        self.variables = dict(variables)
        self._clip = clip
        self._slots = slots
        self.updates = tf.Variable(0, dtype=tf.int64)
        """Steps taken so far."""

    def minimize(
        self, tape: tf.GradientTape, loss: tf.Tensor, share: float | tf.Tensor = 1.0
    ) -> tuple[tf.Tensor, tf.Tensor]:
        """Do one step, and return the gradient's norm before clipping and whether loss and gradient were finite.

        `share` multiplies the learning rate, for a schedule.
        """
        gradients = self.gradients(tape, loss)
        self.apply(gradients, gradients.finite, share)
        return gradients.norm, gradients.finite

    def gradients(self, tape: tf.GradientTape, loss: tf.Tensor) -> Gradients:
        """Return the gradients for `apply`, and change nothing."""
        values = tape.gradient(loss, list(self.variables.values()))
        loss, values = mean_over_devices((loss, values))
        norm = tf.linalg.global_norm(values)
        return Gradients(values, norm, tf.math.is_finite(loss) & tf.math.is_finite(norm))

    def apply(self, gradients: Gradients, finite: tf.Tensor, share: float | tf.Tensor = 1.0) -> None:
        """Do one step if `finite`: all is finite that has to change together."""
        scale = tf.minimum(1.0, self._clip / tf.maximum(gradients.norm, 1e-12))
        tf.cond(finite, lambda: self._step(gradients.values, scale, share), lambda: tf.constant(False))

    def state(self) -> list[tf.Variable]:
        """Return everything that a step changes."""
        slots = [variable for variables in self._slots.values() for variable in variables.values()]
        return [*self.variables.values(), *slots, self.updates]

    def _step(self, gradients: list[tf.Tensor], scale: tf.Tensor, share: float | tf.Tensor) -> tf.Tensor:
        numbers = self._numbers(tf.cast(self.updates.assign_add(1), tf.float32), share)
        for gradient, (name, variable) in zip(gradients, self.variables.items(), strict=True):
            self._change(name, variable, gradient * scale, numbers)
        return tf.constant(True)

    def _numbers(self, count: tf.Tensor, share: float | tf.Tensor) -> tuple[tf.Tensor, ...]:
        """Return the numbers that update number `count` (float32, from 1) uses for every variable; `share` as in
        `minimize`."""
        raise NotImplementedError

    def _change(self, name: str, variable: tf.Variable, gradient: tf.Tensor, numbers: tuple[tf.Tensor, ...]) -> None:
        """Change one variable and its slots."""
        raise NotImplementedError

    def save(self) -> dict[str, Any]:
        """Return the slots and the count of steps."""
        slots = {slot: save_variables(variables) for slot, variables in self._slots.items()}
        return {**slots, "updates": int(self.updates.numpy())}

    def load(self, tree: Mapping[str, Any]) -> None:
        """Restore a tree that `save` returned; in a pack it has the count alone, and the slots stay as they are.

        Raises:
            CheckpointError: names or shapes differ.
        """
        for slot, variables in self._slots.items() if tree.keys() != {"updates"} else ():
            load_variables(variables, tree.get(slot, {}), "the optimizer")
        self.updates.assign(tree["updates"])


def warmed_up(warmup: int, count: tf.Tensor) -> tf.Tensor | float:
    """Return the share of the learning rate at update number `count`: it grows linearly from 0 over the warm-up."""
    return tf.minimum(1.0, count / warmup) if warmup else 1.0


class Optimizer(Descent):
    """The Adam optimizer (Kingma & Ba 2015) for fixed variables, with decoupled weight decay before each step."""

    def __init__(self, variables: Mapping[str, tf.Variable], config: OptimizerConfig):
        self.config = config
        self._first = {name: tf.Variable(tf.zeros_like(value)) for name, value in variables.items()}
        self._second = {name: tf.Variable(tf.zeros_like(value)) for name, value in variables.items()}
        super().__init__(variables, config.clip, {"first": self._first, "second": self._second})

    def _numbers(self, count: tf.Tensor, share: float | tf.Tensor) -> tuple[tf.Tensor, ...]:
        config = self.config
        rate = share * value_at(config.learning_rate, count) * warmed_up(config.warmup, count)
        return tf.pow(config.beta1, count), tf.pow(config.beta2, count), rate

    def _change(self, name: str, variable: tf.Variable, gradient: tf.Tensor, numbers: tuple[tf.Tensor, ...]) -> None:
        if self.config.weight_decay:
            variable.assign(variable * (1.0 - self.config.weight_decay))
        tf.raw_ops.ResourceApplyAdam(
            var=variable.handle,
            m=self._first[name].handle,
            v=self._second[name].handle,
            beta1_power=numbers[0],
            beta2_power=numbers[1],
            lr=numbers[2],
            beta1=self.config.beta1,
            beta2=self.config.beta2,
            epsilon=self.config.epsilon,
            grad=gradient,
        )


class LaProp(Descent):
    """The LaProp optimizer (Ziyin et al. 2020): gradients are divided by their size first, then averaged over time.

    In Adam a large gradient dominates the average for a long time; here each update has the same weight. Each weight's
    gradient is clipped by the norm of that weight (Brock et al. 2021), so no global norm is needed.
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


def build_optimizer(
    variables: Mapping[str, tf.Variable], config: AdafactorConfig | OptimizerConfig | LaPropConfig
) -> Descent:
    """Return the optimizer of the configuration's kind."""
    classes: dict[str, Any] = {"adam": Optimizer, "adafactor": Adafactor, "laprop": LaProp}
    return classes[config.kind](variables, config)
