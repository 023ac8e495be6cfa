"""Methods run as graphs, and graphs always give the same bits."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

import keras
import tensorflow as tf
from tensorflow.python.framework import ops

from worldmodels.models.draws import inside_xla


def make_deterministic() -> None:
    """Make the same inputs give the same bits on one CPU, in the whole process; call it before graphs are made.

    A sum of three or more tensors begins with an operand whose buffer is free. The order, and so the last bit, would
    depend on the timing of threads. Only sums of operands used elsewhere too are affected. Our graphs add those in
    pairs, which is why the optimizer must not merge sums.

    TensorFlow's pass `remapping` fails on the update of an RSSM: it leaves an activation without an operation, so that
    all later passes over the graph fail as well, and say so in dozens of lines. An update without it is as fast.
    """
    tf.config.experimental.enable_op_determinism()
    tf.config.optimizer.set_experimental_options({"arithmetic_optimization": False, "remapping": False})


_portable: ContextVar[bool] = ContextVar("portable", default=False)


@contextmanager
def portable() -> Iterator[None]:
    """Trace graphs in the block without operations that other formats lack: complex numbers, and loops over lists.

    Such graphs are larger and slower, and their last bits are others.
    """
    token = _portable.set(True)
    try:
        yield
    finally:
        _portable.reset(token)


def is_portable() -> bool:
    """Return whether graphs that are traced now are to be portable."""
    return _portable.get()


_updates_by_xla: ContextVar[bool] = ContextVar("updates_by_xla", default=False)


def compile_updates(by_xla: bool) -> None:
    """Make each graph of an update that is built from now on one program of XLA, or leave it to TensorFlow.

    It is for the whole thread, as `make_deterministic` is for the process; graphs that were built before stay.
    """
    _updates_by_xla.set(by_xla)


def graph(method: Callable[..., Any]) -> Callable[..., Any]:
    """Run a method as one `tf.function`, and as a part of the caller's when called inside one.

    Inlining it there lets TensorFlow share and fuse operations across methods; as a nested function it would not.
    Python floats become tensors, so that another temperature is not another graph. Loops over tensors must be written
    as such: rewriting of Python is off, which also makes tracing faster.

    The graphs belong to the object, and go with it: those of a model hold a hundred megabytes.
    """
    return _graph(method, is_update=False)


def update_graph(method: Callable[..., Any]) -> Callable[..., Any]:
    """Run an update of weights as `graph` does, and compile it as `compile_updates` says when it is first called."""
    return _graph(method, is_update=True)


def _graph(method: Callable[..., Any], is_update: bool) -> Callable[..., Any]:
    name = f"_graph_of_{method.__name__}"

    @functools.wraps(method)
    def call(self: Any, *arguments: Any, **named: Any) -> Any:
        if tf.inside_function():
            return method(self, *arguments, **named)
        compiled = vars(self).get(name)
        if compiled is None:
            function = functools.partial(method, self)
            by_xla = is_update and _updates_by_xla.get()
            compiled = vars(self)[name] = _program(function) if by_xla else tf.function(function, autograph=False)
        return compiled(*map(_tensor, arguments), **{key: _tensor(x) for key, x in named.items()})

    return call


def _program(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return a function as one program of XLA."""

    def build(*arguments: Any, **named: Any) -> Any:
        with inside_xla():
            return function(*arguments, **named)

    return tf.function(build, autograph=False, jit_compile=True)


class DirectCall:
    """A function that was traced once and is called often, with small tensors: its graph is called as an operation.

    A `ConcreteFunction` binds, checks and converts its arguments at each call. For six tensors that takes 0.1 ms, more
    than a small policy needs to choose its actions. Nothing is checked here, so arguments have to fit their specs. As
    in `graph`, Python is not rewritten: that took more time than tracing.

    Args:
        function: from nests of tensors to a nest of tensors; it has to be an attribute of the owner of its variables.
        specs: of its arguments, nests of `tf.TensorSpec`.

    Attributes:
        config: the rewriting that TensorFlow may do on the graph, a serialized `ConfigProto`.
        variables: the variables of the graph, in the order of tracing, which is the same for the same code.
    """

    def __init__(self, function: Callable[..., Any], *specs: Any):
        self._graph = tf.function(function, autograph=False).get_concrete_function(*specs)
        self._types = [output.dtype for output in self._graph.outputs]
        self._captured = list(self._graph.captured_inputs)
        by_handle = {id(variable.handle): variable for variable in self._graph.variables}  # a set, in any order
        self.variables: list[tf.Variable] = [
            by_handle[id(tensor)] for tensor in self._captured if id(tensor) in by_handle
        ]
        self.config = _call_config()

    def __call__(self, *arguments: Any) -> Any:
        """Call the function; arguments are nests of tensors, or of arrays."""
        outputs = tf.raw_ops.StatefulPartitionedCall(
            args=[*tf.nest.flatten(arguments), *self._captured],
            Tout=self._types,
            f=self._graph,
            config_proto=self.config,
        )
        return keras.tree.pack_sequence_as(self._graph.structured_outputs, outputs)  # TensorFlow's takes 60 us


def _call_config() -> bytes:
    """Return the options of `make_deterministic` as an operation takes them; it does not look at the process's."""
    config = tf.compat.v1.ConfigProto(allow_soft_placement=True)
    rewriting = config.graph_options.rewrite_options
    rewriting.arithmetic_optimization = rewriting.remapping = rewriting.OFF
    return config.SerializeToString(deterministic=True)


def custom_gradients() -> frozenset[str]:
    """Return the names in this process of the gradients that `tf.custom_gradient` made."""
    return frozenset(name for name in _gradient_registry() if name.startswith("CustomGradient"))


def forget_custom_gradients(names: Iterable[str]) -> None:
    """Forget custom gradients whose graphs are used no more.

    TensorFlow has no way to do so: it keeps each for the life of the process, and with it the graph in which it was
    made. The second set of graphs of `dreamer_small` would keep 60 MB.
    """
    registry = _gradient_registry()
    for name in names:
        registry.pop(name, None)


def _gradient_registry() -> dict[str, Any]:
    return ops.gradient_registry._registry  # no public name leads there


def _tensor(x: Any) -> Any:
    return tf.constant(x) if isinstance(x, float) else x
