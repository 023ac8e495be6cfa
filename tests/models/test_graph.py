from __future__ import annotations

import gc
import weakref
from typing import NamedTuple

import numpy as np
import tensorflow as tf

from worldmodels.models.graph import DirectCall, custom_gradients, forget_custom_gradients, graph, make_deterministic
from worldmodels.models.variables import assign_values, read_values


class Doubler:
    traces = 0

    @graph
    def double(self, x, factor):
        self.traces += 1
        return 2 * x * factor

    @graph
    def twice(self, x):
        return self.double(self.double(x, 1.0), 1.0)


def test_other_numbers_run_the_same_graph():
    doubler = Doubler()
    assert [float(doubler.double(tf.constant(3.0), factor)) for factor in (1.0, 0.5)] == [6.0, 3.0]
    assert float(doubler.double(tf.constant(3.0), factor=0.25)) == 1.5
    assert doubler.traces == 1


def test_inside_another_graph_it_is_inlined():
    doubler = Doubler()
    assert float(doubler.twice(tf.constant(1.0))) == 4.0
    operations = tf.function(doubler.twice).get_concrete_function(tf.constant(1.0)).graph.get_operations()
    assert not [op for op in operations if "Call" in op.type]


class Counter:
    """Counts in a variable, and returns nests of every kind."""

    def __init__(self):
        self.count = tf.Variable(0)

    def step(self, pair, array):
        self.count.assign_add(1)
        return (pair[0] + pair[1], ()), {"b": tf.identity(self.count), "a": Seen(array, array == 2)}


class Seen(NamedTuple):
    array: tf.Tensor
    is_two: tf.Tensor


def test_a_direct_call_gives_the_nest_of_its_function_and_keeps_its_variables():
    counter = Counter()
    number = tf.TensorSpec((), tf.float32)
    step = DirectCall(counter.step, (number, number), tf.TensorSpec((2,), tf.int32))
    for count in (1, 2):
        (total, nothing), named = step((tf.constant(1.0), tf.constant(0.5)), np.array([1, 2], np.int32))
        assert float(total) == 1.5 and nothing == () and set(named) == {"a", "b"}
        assert named["a"].array.numpy().tolist() == [1, 2] and named["a"].is_two.numpy().tolist() == [False, True]
        assert int(named["b"]) == count == int(counter.count)


def test_a_direct_call_is_rewritten_as_the_graphs_of_the_process_are():
    """A call by operation has options of its own."""
    make_deterministic()
    options = tf.config.optimizer.get_experimental_options()
    assert (options["arithmetic_optimization"], options["remapping"]) == (False, False)
    config = tf.compat.v1.ConfigProto.FromString(DirectCall(lambda: tf.zeros(())).config)
    rewriting = config.graph_options.rewrite_options
    assert rewriting.arithmetic_optimization == rewriting.remapping == rewriting.OFF


def test_graphs_with_custom_gradients_go_once_these_are_forgotten():
    @tf.custom_gradient
    def doubled(x):
        return 2.0 * x, lambda upstream: 2.0 * upstream

    def gradient(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = doubled(x)
        return tape.gradient(y, x)

    before = custom_gradients()
    compiled = tf.function(gradient)
    assert compiled(tf.constant(3.0)).numpy() == 2
    kept = weakref.ref(compiled.get_concrete_function(tf.constant(3.0)).graph)
    del compiled
    gc.collect()
    assert kept() is not None
    forget_custom_gradients(custom_gradients() - before)
    gc.collect()
    assert kept() is None and custom_gradients() == before


def test_a_direct_call_names_the_variables_that_it_reads_in_order():
    two, one, other = (tf.Variable(value) for value in (2.0, 1.0, 5.0))
    call = DirectCall(lambda x: tf.cond(x > 0, lambda: x * one, lambda: x) + two, tf.TensorSpec((), tf.float32))
    assert [variable is read for variable, read in zip((one, two), call.variables, strict=True)] == [True, True]
    values = read_values(call.variables)
    other.assign(7.0)
    assert values == [1.0, 2.0]
    assign_values(call.variables, [np.float32(10.0), np.float32(3.0)])
    assert float(call(np.float32(4.0))) == 43.0
