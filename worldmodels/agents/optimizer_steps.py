"""Many optimiser steps run as one graph."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import tensorflow as tf


class StepResult(NamedTuple):
    """The result of one step."""

    figures: dict[str, tf.Tensor]
    """Scalars to report."""
    finite: tf.Tensor
    """Whether loss and gradient were."""
    goes_on: bool | tf.Tensor = True
    """Whether there is to be another step."""


class StepsResult(NamedTuple):
    """The result of several steps."""

    figures: dict[str, tf.Tensor]
    """The means of the steps' figures."""
    finite: tf.Tensor
    """Whether all steps were."""
    done: tf.Tensor
    """float32: how many there were."""


def run_steps(step: Callable[[tf.Tensor], StepResult], count: int, names: tuple[str, ...]) -> StepsResult:
    """Call `step(i)` for i = 0 to `count` - 1, up to the first that is not finite or says that it was the last.

    Args:
        names: of the figures.
    """

    def goes_on(i, finite, wanted, sums):
        return finite & wanted & (i < count)

    def body(i, finite, wanted, sums):
        result = step(i)
        sums = {name: sums[name] + result.figures[name] for name in names}
        return i + 1, result.finite, tf.convert_to_tensor(result.goes_on), sums

    start = (tf.constant(0), tf.constant(True), tf.constant(True), dict.fromkeys(names, tf.zeros(())))
    done, finite, _, sums = tf.while_loop(goes_on, body, start, parallel_iterations=1)
    steps = tf.cast(done, tf.float32)
    return StepsResult({name: value / tf.maximum(steps, 1.0) for name, value in sums.items()}, finite, steps)
