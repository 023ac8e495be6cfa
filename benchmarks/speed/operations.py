"""Counts the floating-point operations of a call: those of all its matrix products and convolutions, also backward.

The call runs without graphs, and each operation of TensorFlow is counted by the shapes that it was given, in loops as
often as it runs. A multiplication and an addition are two operations. Others are not counted.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from math import prod
from typing import Any

import tensorflow as tf
from tensorflow.python.framework import op_callbacks


@contextmanager
def counted() -> Iterator[Counter[str]]:
    """Count the operations in the block by the kind of TensorFlow's operation; functions in it run without graphs."""
    found: Counter[str] = Counter()

    def count(
        kind: str | bytes, inputs: Sequence[Any], attributes: Any, outputs: Sequence[Any], *_: Any, **__: Any
    ) -> None:
        if operations := _KINDS.get(name := tf.compat.as_str(kind)):
            given = dict(zip(attributes[::2], attributes[1::2], strict=True))
            found[name] += 2 * operations(inputs, given, outputs)

    eager = tf.config.functions_run_eagerly()
    tf.config.run_functions_eagerly(True)
    op_callbacks.add_op_callback(count)
    try:
        yield found
    finally:
        op_callbacks.remove_op_callback(count)
        tf.config.run_functions_eagerly(eager)


def _product(inputs: Sequence[Any], given: Mapping[str, Any], outputs: Sequence[Any]) -> int:
    """Return the multiplications of a product of matrices, or of a batch of them."""
    turned = given.get("transpose_a", given.get("adj_x", False))
    return prod(outputs[0].shape) * int(inputs[0].shape[-2 if turned else -1])


def _convolution(inputs: Sequence[Any], _: Any, outputs: Sequence[Any]) -> int:
    """Return the multiplications of a convolution: each number of the output sums over a kernel's inputs."""
    return prod(outputs[0].shape) * prod(inputs[1].shape[:3])


def _to_kernel(inputs: Sequence[Any], _: Any, outputs: Sequence[Any]) -> int:
    """Return the multiplications of a gradient for a kernel: as many as forward."""
    return prod(inputs[2].shape) * prod(outputs[0].shape[:3])


def _to_input(inputs: Sequence[Any], _: Any, outputs: Sequence[Any]) -> int:
    """Return the multiplications of a gradient for an input, or of a transposed convolution: as many as forward."""
    return prod(inputs[2].shape) * prod(inputs[1].shape[:3])


_KINDS = {
    "MatMul": _product,
    "BatchMatMulV2": _product,
    "Conv2D": _convolution,
    "Conv2DBackpropFilter": _to_kernel,
    "Conv2DBackpropInput": _to_input,
}
