"""Random numbers inside of graphs, which a seed int32 (2,) decides.

The algorithm of their bits is named: by itself TensorFlow chooses Philox, and XLA another one. XLA makes other floats
of the same bits, so inside of its programs floats are made here, as TensorFlow's own kernels make them. A compiled
update then draws the same numbers, up to rounding.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import partial
from typing import Any

import tensorflow as tf

split = partial(tf.random.split, alg="philox")
fold_in = partial(tf.random.fold_in, alg="philox")
_uniform = partial(tf.random.stateless_uniform, alg="philox")
_normal = partial(tf.random.stateless_normal, alg="philox")

LEAST = 1e-7
"""The least uniform number of which a normal one is made."""
CUT = 2.0
"""Deviations at which a truncated normal distribution ends."""

_inside: ContextVar[bool] = ContextVar("inside_xla", default=False)


@contextmanager
def inside_xla() -> Iterator[None]:
    """Make floats for a program of XLA in the block."""
    token = _inside.set(True)
    try:
        yield
    finally:
        _inside.reset(token)


def uniform(shape: Any, seed: Any, minval: Any = 0, maxval: Any = None, dtype: tf.DType = tf.float32) -> tf.Tensor:
    """Return numbers from `minval` up to, but not including, `maxval`; of floats it is 1 by default."""
    if not _inside.get() or dtype != tf.float32:
        return _uniform(shape, seed, minval, maxval, dtype)
    return minval + ((1.0 if maxval is None else maxval) - minval) * _from_0_to_1(_bits(shape, seed))


def normal(shape: Any, seed: Any, stddev: float = 1.0) -> tf.Tensor:
    """Return normal numbers of mean 0, float32: by the kernel, and inside of XLA by the formula of Box and Muller."""
    if not _inside.get():
        return _normal(shape, seed, stddev=stddev)
    count = tf.reduce_prod(shape)
    first, second = tf.unstack(_from_0_to_1(_bits(((count + 3) // 4 * 2, 2), seed)), axis=1)
    radius, angle = tf.sqrt(-2.0 * tf.math.log(tf.maximum(first, LEAST))), 2.0 * math.pi * second
    pairs = radius[:, None] * tf.stack([tf.sin(angle), tf.cos(angle)], 1)
    return stddev * tf.reshape(tf.reshape(pairs, (-1,))[:count], shape)


def truncated_normal(shape: Any, seed: Any, stddev: float = 1.0) -> tf.Tensor:
    """Return normal numbers of mean 0 within `CUT` deviations, float32, by the inverse of the distribution function."""
    within = math.erf(CUT / math.sqrt(2.0))
    return stddev * math.sqrt(2.0) * tf.math.erfinv(uniform(shape, seed, -within, within))


def _bits(shape: Any, seed: Any) -> tf.Tensor:
    return _uniform(shape, seed, None, None, tf.uint32)


def _from_0_to_1(bits: tf.Tensor) -> tf.Tensor:
    """Return floats from 0 to 1, which have the lowest 23 of the bits uint32 behind the point."""
    return tf.bitcast((bits & 0x7FFFFF) | 0x3F800000, tf.float32) - 1.0
