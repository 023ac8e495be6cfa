"""The precision of a run's products is float32, or bfloat16 if that is faster on the processor.

    factors of matrix products and convolutions, and what passes from one layer to the next     bfloat16
    sums inside a product, which the processor's instructions take                              float32
    weights, optimizer, sums of gradients, norms, gates, softmax, KL, losses, returns           float32
    outputs of heads, products of few rows (one policy step, say), products that pick a row     float32

A layer keeps the precision in which it was built (`building_in`). It calls a product (`matmul`, `conv2d`,
`conv2d_transpose`, `dense`), whose result may be narrow. Code that sums, normalises or compares converts it by `full`.
TensorFlow refuses to mix both types, so a missing conversion fails when a graph is made.

bfloat16 keeps float32's range and 8 bits of its digits, so no loss has to be scaled (Kalamkar et al. 2019).
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Literal

import tensorflow as tf

from worldmodels.models.devices import computing_processor

Precision = Literal["float32", "bfloat16"]

FEW_ROWS = 16
"""Rows up to which a product stays in float32: reading its weights is most of it, and narrowing them takes longer."""

_building: ContextVar[Precision] = ContextVar("precision", default="float32")


@contextmanager
def building_in(precision: Precision) -> Iterator[None]:
    """Give this precision to the layers that are built inside."""
    token = _building.set(precision)
    try:
        yield
    finally:
        _building.reset(token)


def current() -> Precision:
    """Return the precision of a layer that is built now."""
    return _building.get()


def full(x: tf.Tensor) -> tf.Tensor:
    """Return `x` in float32, in which everything but a product is computed."""
    return tf.cast(x, tf.float32)


def narrow(x: tf.Tensor, precision: Precision) -> tf.Tensor:
    """Return `x`, of any float type, in the type in which products of a precision are computed."""
    return tf.cast(x, precision)


def matmul(x: tf.Tensor, kernel: tf.Tensor, precision: Precision, transpose_b: bool = False) -> tf.Tensor:
    """Return x W for rows (N, inputs), in either type."""
    kind = _kind(x, precision)
    return tf.matmul(tf.cast(x, kind), tf.cast(kernel, kind), transpose_b=transpose_b)


def block_matmul(x: tf.Tensor, blocks: tf.Tensor, precision: Precision) -> tf.Tensor:
    """Return x W for rows (N, inputs) and a block-diagonal W, given as its blocks (blocks, inputs each, units each)."""
    kind = _kind(x, precision)
    return block_product(tf.cast(x, kind), tf.cast(blocks, kind))


def block_product(x: tf.Tensor, blocks: tf.Tensor) -> tf.Tensor:
    """Return the same in the type that both have."""
    count, _, units = blocks.shape
    return tf.reshape(tf.transpose(tf.matmul(by_block(x, count), blocks), [1, 0, 2]), (-1, count * units))


def by_block(x: tf.Tensor, count: int) -> tf.Tensor:
    """Return rows (N, count * units) by block: (count, N, units)."""
    return tf.transpose(tf.reshape(x, (-1, count, x.shape[-1] // count)), [1, 0, 2])


def dense(x: tf.Tensor, kernel: tf.Tensor, bias: tf.Tensor, precision: Precision) -> tf.Tensor:
    """Return x W + b for rows (N, inputs), in either type."""
    return add_bias(matmul(x, kernel, precision), bias)


def conv2d(x: tf.Tensor, kernel: tf.Tensor, stride: int, padding: str, precision: Precision) -> tf.Tensor:
    """Return the convolution of images (N, H, W, C), in either type."""
    x, kernel = _factors(x, kernel, precision)
    return narrow(tf.nn.conv2d(x, kernel, stride, padding), precision)


def conv2d_transpose(
    x: tf.Tensor, kernel: tf.Tensor, shape: tuple, stride: int, padding: str, precision: Precision
) -> tf.Tensor:
    """Return the transposed convolution of images (N, H, W, C) to `shape`, in either type."""
    x, kernel = _factors(x, kernel, precision)
    return narrow(tf.nn.conv2d_transpose(x, kernel, shape, stride, padding), precision)


def add_bias(x: tf.Tensor, bias: tf.Tensor) -> tf.Tensor:
    """Return `x` (..., units) with a bias float32 (units,) added, in the type of `x`."""
    return tf.nn.bias_add(x, bias) if x.dtype == tf.float32 else _add_bias(x, tf.convert_to_tensor(bias))


@tf.custom_gradient
def _add_bias(x: tf.Tensor, bias: tf.Tensor) -> tuple[tf.Tensor, object]:
    def gradient(upstream: tf.Tensor) -> tuple[tf.Tensor, tf.Tensor]:
        # TensorFlow's own adds up thousands of rows in bfloat16, and loses nearly all of them; a product does not.
        rows = tf.reshape(upstream, (-1, x.shape[-1]))
        return upstream, full(tf.matmul(tf.ones_like(rows[:, :1]), rows, transpose_a=True)[0])

    return tf.nn.bias_add(x, tf.cast(bias, x.dtype)), gradient


def _factors(x: tf.Tensor, kernel: tf.Tensor, precision: Precision) -> tuple[tf.Tensor, tf.Tensor]:
    """Return the factors of a convolution, rounded to the precision, in the type in which it has to be computed.

    On a processor without instructions for bfloat16, TensorFlow adds up narrow convolutions in bfloat16 too, and is off
    by some percent. A run that was trained elsewhere has to be the same model there.
    """
    factors = narrow(x, precision), narrow(kernel, precision)
    if precision == "float32" or computing_processor().multiplies_bfloat16:
        return factors
    return full(factors[0]), full(factors[1])


def _kind(x: tf.Tensor, precision: Precision) -> str:
    rows = x.shape[0]
    return "float32" if rows is not None and rows <= FEW_ROWS else precision
