from __future__ import annotations

import numpy as np
import tensorflow as tf

from worldmodels.models.networks.scan import LoopProduct, scan


def test_scan_spelled_out():
    def step(total, x):
        return total + x, 10 * total

    totals, before = scan(step, (tf.constant(1.0),), (tf.constant([1.0, 2.0, 3.0]),))
    assert totals.numpy().tolist() == [2, 4, 7]
    assert before.numpy().tolist() == [10, 20, 40]


def test_a_loop_product_has_the_gradients_of_the_plain_loop():
    random = np.random.default_rng(0)
    state, kernel, terms = (tf.constant(random.normal(size=size), tf.float32) for size in ((2, 3), (3, 3), (4, 2, 3)))

    def gradients(loop):
        with tf.GradientTape() as tape:
            tape.watch((kernel, terms))
            loss = tf.reduce_sum(loop() ** 3)
        return tape.gradient(loss, (kernel, terms))

    def plain():
        states = [state]
        for t in range(4):
            states.append(tf.tanh(terms[t] + states[-1] @ kernel))
        return tf.stack(states[1:])

    def scanned():
        product = LoopProduct(kernel, terms, "float32")

        def step(state, term):
            return tf.tanh(product(state, term)), state

        states, inputs = scan(step, (state,), (product.terms,))
        product.collect(inputs)
        return states

    for one, other in zip(gradients(plain), tf.function(lambda: gradients(scanned))(), strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-4, atol=1e-6)
