"""Natural gradients of a policy and safe steps along them (Schulman et al. 2015, appendix C). Pure functions.

Vectors (N,) hold all numbers of some variables, one variable after the other.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import tensorflow as tf

from worldmodels.agents.distributions.policy_distributions import PolicyDistribution

SOLVED = 1e-10
"""Share of the squared norm of b at which a residual is rounding, and following it would lead away."""


def to_vector(tensors: Sequence[tf.Tensor]) -> tf.Tensor:
    """Return the numbers of all tensors in one vector."""
    return tf.concat([tf.reshape(x, (-1,)) for x in tensors], 0)


def from_vector(vector: tf.Tensor, like: Sequence[tf.Tensor]) -> list[tf.Tensor]:
    """Return the tensors that `to_vector` put into one, with the shapes of others."""
    parts = tf.split(vector, [x.shape.num_elements() for x in like])
    return [tf.reshape(part, x.shape) for part, x in zip(parts, like, strict=True)]


def dot(x: tf.Tensor, y: tf.Tensor) -> tf.Tensor:
    """Return the inner product of two vectors."""
    return tf.reduce_sum(x * y)


def conjugate_gradient(product: Callable[[tf.Tensor], tf.Tensor], b: tf.Tensor, iterations: int) -> tf.Tensor:
    """Return an approximate solution x of A x = b, exact after N iterations but for rounding (Hestenes & Stiefel 1952).

    Args:
        product: gives A v for a vector v, with A symmetric and without negative eigenvalues.
        b: (N,), in the range of A.
    """

    enough = SOLVED * dot(b, b)

    def goes_on(i, x, residual, direction, norm):
        return (i < iterations) & (norm > enough)

    def body(i, x, residual, direction, norm):
        changed = product(direction)
        length = tf.math.divide_no_nan(norm, dot(direction, changed))
        x, residual = x + length * direction, residual - length * changed
        norm_after = dot(residual, residual)
        return i + 1, x, residual, residual + norm_after / norm * direction, norm_after

    start = (tf.constant(0), tf.zeros_like(b), b, b, dot(b, b))
    return tf.while_loop(goes_on, body, start, parallel_iterations=1)[1]


def fisher_vector_product(
    policy: Callable[[], tf.Tensor],
    variables: Sequence[tf.Variable],
    vector: tf.Tensor,
    distribution: PolicyDistribution,
    weights: tf.Tensor,
) -> tf.Tensor:
    """Return F v, with the Fisher information matrix of a policy, averaged over samples.

    F is the Hessian of the mean KL from the current policy. J^T M J computes it, with the Jacobian J of the
    distribution's parameters and the distribution's own matrix M. That takes one pass forwards and one backwards, and
    no second derivative.

    Args:
        policy: gives the parameters (N, P) of all samples.
        variables: on which they depend.
        vector: v, as many numbers as the variables have.
        weights: float32 (N,), how much each sample counts.
    """
    tangents = from_vector(vector, variables)
    with tf.autodiff.ForwardAccumulator(list(variables), tangents) as accumulator, tf.GradientTape() as tape:
        parameters = policy()
    change = distribution.fisher(parameters, accumulator.jvp(parameters))
    shares = tf.math.divide_no_nan(weights, tf.reduce_sum(weights))
    return to_vector(tape.gradient(parameters, list(variables), shares[:, None] * change))


def longest_step(direction: tf.Tensor, product: tf.Tensor, limit: float) -> tf.Tensor:
    """Return the multiple of a direction whose step costs a KL of `limit`, as the Fisher matrix estimates it.

        1/2 step^T F step = limit

    Args:
        direction: x, (N,).
        product: F x.
    """
    return tf.sqrt(tf.math.divide_no_nan(2.0 * limit, dot(direction, product)))


def backtrack(accepts: Callable[[tf.Tensor], tf.Tensor], factor: float, most: int) -> tuple[tf.Tensor, tf.Tensor]:
    """Return the first of the shares 1, `factor`, `factor`^2, ... of a step that is accepted, and its exponent.

    Args:
        accepts: gives whether a share is good enough.
        most: number of shares that are tried; where none is accepted, the share is 0 and the exponent this.
    """

    def body(i, share, found):
        found = accepts(share)
        return tf.where(found, i, i + 1), tf.where(found, share, factor * share), found

    start = (tf.constant(0), tf.constant(1.0), tf.constant(False))
    i, share, found = tf.while_loop(lambda i, share, found: ~found & (i < most), body, start, parallel_iterations=1)
    return tf.where(found, share, 0.0), i
