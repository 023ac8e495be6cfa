"""Operations counted by hand for tiny products and convolutions."""

from __future__ import annotations

import tensorflow as tf
from speed.operations import counted


def test_a_product_multiplies_and_adds_each_row_by_each_column() -> None:
    with counted() as found:
        tf.matmul(tf.ones((3, 4)), tf.ones((4, 5)))
        tf.matmul(tf.ones((4, 3)), tf.ones((4, 5)), transpose_a=True)
    assert found == {"MatMul": 2 * (2 * 3 * 4 * 5)}


def test_a_batch_of_products_counts_each() -> None:
    with counted() as found:
        tf.matmul(tf.ones((7, 3, 4)), tf.ones((7, 5, 4)), transpose_b=True)
    assert found == {"BatchMatMulV2": 7 * 2 * 3 * 4 * 5}


def test_a_convolution_and_both_its_gradients_cost_the_same() -> None:
    image, kernel = tf.Variable(tf.ones((2, 8, 6, 3))), tf.Variable(tf.ones((3, 3, 3, 5)))
    with counted() as found:
        with tf.GradientTape() as tape:
            out = tf.nn.conv2d(image, kernel, 2, "SAME")
        tape.gradient(out, [image, kernel])
    each = 2 * (2 * 4 * 3 * 5) * (3 * 3 * 3)
    assert found == {"Conv2D": each, "Conv2DBackpropInput": each, "Conv2DBackpropFilter": each}


def test_a_loop_in_a_graph_counts_each_round_and_graphs_are_back_afterwards() -> None:
    weights = tf.ones((2, 2))

    @tf.function(autograph=False)
    def power(x: tf.Tensor) -> tf.Tensor:
        return tf.while_loop(lambda i, _: i < 3, lambda i, y: (i + 1, tf.matmul(y, weights)), (0, x))[1]

    with counted() as found:
        power(tf.ones((1, 2)))
    power(tf.ones((1, 2)))
    assert found == {"MatMul": 3 * 2 * 1 * 2 * 2}
    assert not tf.config.functions_run_eagerly()
