"""Methods that run as graphs, and graphs that always give the same bits."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import tensorflow as tf


def make_deterministic() -> None:
    """Make the same inputs give the same bits on one CPU, in the whole process; call it before graphs are made.

    A sum of three or more tensors reuses the buffer of an operand that nobody else needs any more, and begins with it:
    the order, and so the last bit, would depend on which thread was first. Only sums of operands used elsewhere too are
    affected. Our graphs add those in pairs, which is why the optimizer must not merge sums.
    """
    tf.config.experimental.enable_op_determinism()
    tf.config.optimizer.set_experimental_options({"arithmetic_optimization": False})


def has_gpu() -> bool:
    """Return whether TensorFlow sees a GPU."""
    return bool(tf.config.list_physical_devices("GPU"))


def graph(method: Callable[..., Any]) -> Callable[..., Any]:
    """Run a method as one `tf.function`, and as a part of the caller's when called inside one.

    Inlining it there lets TensorFlow share and fuse operations across methods; as a nested function it would not.
    Python floats become tensors, so that another temperature is not another graph. Loops over tensors must be written
    as such: rewriting of Python is off, which also makes tracing faster.

    The graphs belong to the object, and go with it: those of a model hold a hundred megabytes.
    """
    name = f"_graph_of_{method.__name__}"

    @functools.wraps(method)
    def call(self: Any, *arguments: Any, **named: Any) -> Any:
        if tf.inside_function():
            return method(self, *arguments, **named)
        compiled = vars(self).get(name)
        if compiled is None:
            compiled = vars(self)[name] = tf.function(functools.partial(method, self), autograph=False)
        return compiled(*map(_tensor, arguments), **{key: _tensor(x) for key, x in named.items()})

    return call


def _tensor(x: Any) -> Any:
    return tf.constant(x) if isinstance(x, float) else x
