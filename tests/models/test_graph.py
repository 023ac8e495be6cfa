from __future__ import annotations

import gc
import weakref

import tensorflow as tf

from worldmodels.models.graph import custom_gradients, forget_custom_gradients, graph


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
