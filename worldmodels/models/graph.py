"""How methods become graphs."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import tensorflow as tf


def graph(method: Callable[..., Any]) -> Callable[..., Any]:
    """A method that runs as one `tf.function`, and as a part of the caller's when called inside one.

    Inlining it there lets TensorFlow share and fuse operations across methods; as a nested function it would not.
    Python floats become tensors, so that another temperature is not another graph. Loops over tensors must be written
    as such: rewriting of Python is off, which also makes tracing faster.
    """
    compiled = tf.function(method, autograph=False)

    @functools.wraps(method)
    def call(self: Any, *arguments: Any) -> Any:
        if tf.inside_function():
            return method(self, *arguments)
        return compiled(self, *(tf.constant(x) if isinstance(x, float) else x for x in arguments))

    return call
