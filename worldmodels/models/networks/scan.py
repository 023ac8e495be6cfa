"""Loops over time run in one graph, with gradients; axes: T time, B batch."""

from __future__ import annotations

from collections.abc import Callable

import tensorflow as tf

from worldmodels.models.graph import is_portable
from worldmodels.models.precision import Precision, block_product, by_block, full, narrow


def swap_rows_and_time(x: tf.Tensor) -> tf.Tensor:
    """Return a tensor (B, T, ...) as (T, B, ...), or a tensor (T, B, ...) as (B, T, ...)."""
    return tf.transpose(x, (1, 0, *range(2, x.shape.rank)))


def scan(step: Callable[..., tuple], state: tuple, inputs: tuple) -> tuple:
    """Call `step(*state, *inputs[t])` for each t, and stack its results; the first results are the next state.

    A `tf.while_loop` of static length: as fast as an unrolled graph, and traced in a fraction of the time.
    """

    def call(*arguments: tf.Tensor) -> list[tf.Tensor]:
        # What leaves the step is used twice, as state and as output; behind an identity those gradients are added as a
        # pair before those from inside the step (see `make_deterministic`).
        return [tf.identity(x) for x in step(*arguments)]

    steps = inputs[0].shape[0]
    if is_portable():
        return _unrolled(call, state, inputs, steps)
    read = [tf.TensorArray(x.dtype, steps, element_shape=x.shape[1:]).unstack(x) for x in inputs]
    first = call(*state, *(array.read(0) for array in read))
    write = [tf.TensorArray(x.dtype, steps, element_shape=x.shape).write(0, x) for x in first]

    def body(t, state, write):
        out = call(*state, *(array.read(t) for array in read))
        return t + 1, out[: len(state)], [array.write(t, x) for array, x in zip(write, out, strict=True)]

    loop = (tf.constant(1), first[: len(state)], write)
    _, _, write = tf.while_loop(lambda t, *_: t < steps, body, loop, maximum_iterations=steps - 1)
    return tuple(array.stack() for array in write)


def _unrolled(call: Callable[..., list[tf.Tensor]], state: tuple, inputs: tuple, steps: int) -> tuple:
    kept, now = [], list(state)
    for t in range(steps):
        kept.append(out := call(*now, *(x[t] for x in inputs)))
        now = out[: len(state)]
    return tuple(tf.stack(values) for values in zip(*kept, strict=True))


class LoopProduct:
    """A product x W + term at each step of a scan, whose weight gradient is one product after the loop.

    Left to itself, the gradient of a loop makes a matrix of the weights' size at every step and adds it up. Here W is a
    constant in the loop, and `terms`, an input of the scan, carries a zero. The zero's gradient for W is the gradient
    of all steps at once. W is narrowed once for all steps, which is worth its time even if a step has few rows.
    """

    def __init__(self, kernel: tf.Tensor, terms: tf.Tensor, precision: Precision):
        """Prepare the product of `kernel` (inputs, units) and `terms` (T, B, units), which are added at each step."""
        self._kernel = narrow(tf.stop_gradient(kernel), precision)
        self._precision = precision
        self._inputs: tf.Tensor | None = None

        @tf.custom_gradient
        def zero(kernel: tf.Tensor) -> tuple[tf.Tensor, Callable[[tf.Tensor], tf.Tensor]]:
            return tf.zeros_like(terms), self._weight_gradient

        self.terms = terms + zero(kernel)

    def __call__(self, x: tf.Tensor, term: tf.Tensor) -> tf.Tensor:
        """Return (B, units) from (B, inputs) and one step of `terms`."""
        return term + full(self._product(narrow(x, self._precision), self._kernel))

    def collect(self, inputs: tf.Tensor) -> None:
        """Take, after the scan, everything that was passed to the product in it: (T, B, inputs)."""
        self._inputs = inputs

    def _weight_gradient(self, upstream: tf.Tensor) -> tf.Tensor:
        inputs, upstream = (narrow(_rows(x), self._precision) for x in (self._inputs, upstream))
        return full(self._outer_product(inputs, upstream))

    def _product(self, x: tf.Tensor, kernel: tf.Tensor) -> tf.Tensor:
        return tf.matmul(x, kernel)

    def _outer_product(self, inputs: tf.Tensor, upstream: tf.Tensor) -> tf.Tensor:
        return tf.matmul(inputs, upstream, transpose_a=True)


class BlockLoopProduct(LoopProduct):
    """The same with a block-diagonal W, given as its blocks (blocks, inputs each, units each)."""

    def _product(self, x: tf.Tensor, kernel: tf.Tensor) -> tf.Tensor:
        return block_product(x, kernel)

    def _outer_product(self, inputs: tf.Tensor, upstream: tf.Tensor) -> tf.Tensor:
        blocks = self._kernel.shape[0]
        return tf.matmul(by_block(inputs, blocks), by_block(upstream, blocks), transpose_a=True)


def _rows(x: tf.Tensor) -> tf.Tensor:
    return tf.reshape(x, (-1, x.shape[-1]))
