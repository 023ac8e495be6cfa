from __future__ import annotations

import numpy as np
import pytest
import tensorflow as tf

from worldmodels.agents.distributions.policy_distributions import CATEGORICAL, DIAGONAL_GAUSSIAN
from worldmodels.agents.on_policy.trpo import (
    backtrack,
    conjugate_gradient,
    fisher_vector_product,
    from_vector,
    longest_step,
    to_vector,
)

A, B = tf.constant([[4.0, 1.0], [1.0, 3.0]]), tf.constant([1.0, 2.0])


def product(vector: tf.Tensor) -> tf.Tensor:
    return tf.linalg.matvec(A, vector)


def test_tensors_go_into_a_vector_and_back():
    tensors = [tf.constant([[1.0, 2.0], [3.0, 4.0]]), tf.constant([5.0])]
    vector = to_vector(tensors)
    assert vector.numpy().tolist() == [1, 2, 3, 4, 5]
    for tensor, again in zip(tensors, from_vector(vector, tensors), strict=True):
        np.testing.assert_array_equal(tensor, again)


def test_conjugate_gradient_by_hand():
    # A b = (6, 7) and b b / b A b = 5 / 20: the first step is b / 4.
    np.testing.assert_allclose(conjugate_gradient(product, B, 1), [0.25, 0.5])
    # Two numbers are solved for in two steps: (1, 7) / 11.
    np.testing.assert_allclose(conjugate_gradient(product, B, 2), [1 / 11, 7 / 11], rtol=1e-6)


def test_conjugate_gradient_stays_where_it_is_done():
    np.testing.assert_allclose(conjugate_gradient(product, B, 10), [1 / 11, 7 / 11], rtol=1e-6)
    np.testing.assert_array_equal(conjugate_gradient(product, tf.zeros(2), 3), [0, 0])


def test_conjugate_gradient_solves_what_has_less_than_full_rank():
    u, v = (tf.constant(np.random.default_rng(i).normal(size=20).astype(np.float32)) for i in range(2))
    b = 2.0 * u - 3.0 * v
    x = conjugate_gradient(lambda x: u * tf.reduce_sum(u * x) + v * tf.reduce_sum(v * x), b, 20)
    np.testing.assert_allclose(u * tf.reduce_sum(u * x) + v * tf.reduce_sum(v * x), b, rtol=1e-3, atol=1e-3)


@pytest.mark.parametrize(("weights", "expected"), [((1.0, 1.0), (5.0, 2.0)), ((1.0, 0.0), (1.0, 2.0))])
def test_fisher_vector_product_by_hand(weights, expected):
    """A Gaussian of mean w x and deviation 1: x^2 for w, averaged over x = 1 and 3, and 2 for the logarithm."""
    w, log_deviation, x = tf.Variable([[0.5]]), tf.Variable([0.0]), tf.constant([[1.0], [3.0]])

    def policy():
        return tf.concat([x @ w, tf.zeros_like(x) + log_deviation], -1)

    variables, vector = [w, log_deviation], tf.constant([1.0, 1.0])
    found = fisher_vector_product(policy, variables, vector, DIAGONAL_GAUSSIAN, tf.constant(weights))
    np.testing.assert_allclose(found, expected)


def test_fisher_vector_product_is_the_hessian_of_the_kl():
    random = np.random.default_rng(0)
    variables = [tf.Variable(random.normal(size=shape).astype(np.float32)) for shape in ((3, 4), (4,), (4, 5))]
    x, vector = (tf.constant(random.normal(size=shape).astype(np.float32)) for shape in ((7, 3), (36,)))

    def policy():
        return tf.tanh(x @ variables[0] + variables[1]) @ variables[2]

    old = policy()
    with tf.GradientTape() as outer:
        with tf.GradientTape() as inner:
            kl = tf.reduce_mean(CATEGORICAL.kl(old, policy()))
        slope = tf.reduce_sum(to_vector(inner.gradient(kl, variables)) * vector)
    hessian_product = to_vector(outer.gradient(slope, variables))
    found = fisher_vector_product(policy, variables, vector, CATEGORICAL, tf.ones(7))
    np.testing.assert_allclose(found, hessian_product, rtol=1e-3, atol=1e-5)


def test_the_longest_step_by_hand():
    # 1/2 s^2 (3 6 + 4 8) = 0.01 for s = 0.02.
    length = longest_step(tf.constant([3.0, 4.0]), tf.constant([6.0, 8.0]), 0.01)
    assert float(length) == pytest.approx(0.02)
    assert longest_step(tf.zeros(2), tf.zeros(2), 0.01) == 0


@pytest.mark.parametrize(
    ("limit", "share", "exponent"), [(1.0, 1.0, 0), (0.7, 0.64, 2), (0.5, 0.4096, 4), (0.4, 0.0, 5)]
)
def test_backtracking_takes_the_first_that_is_accepted(limit, share, exponent):
    """The shares are 1, 0.8, 0.64, 0.512 and 0.4096."""
    found = backtrack(lambda share: share <= limit, 0.8, 5)
    assert [float(x) for x in found] == pytest.approx([share, exponent])
