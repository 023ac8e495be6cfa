"""Trust region policy optimisation takes the longest safe step along the natural gradient (Schulman et al. 2015).

Natural gradients of a policy and safe steps along them (Schulman et al. 2015, appendix C). Pure functions.

Vectors (N,) hold all numbers of some variables, one variable after the other.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import tensorflow as tf

from worldmodels.agents.distributions.policy_distributions import PolicyDistribution
from worldmodels.agents.networks.bodies import BodySettings
from worldmodels.agents.on_policy.agent import OnPolicyAgent
from worldmodels.agents.on_policy.config import TRPOConfig
from worldmodels.agents.on_policy.samples import Samples, weighted_mean
from worldmodels.models.api import ModelSpec
from worldmodels.models.optimizers import Optimizer

BACKTRACK_FACTOR = 0.8
"""Factor between successive step lengths of the line search (`backtrack_coeff` in Spinning Up)."""
BACKTRACK_STEPS = 10
"""Most step lengths that the line search tries before it gives the step up (`backtrack_iters` in Spinning Up)."""
CONJUGATE_GRADIENT_STEPS = 10
"""Iterations of the conjugate gradient method (`cg_iters` in Spinning Up)."""
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


class TRPO(OnPolicyAgent):
    """An agent whose policy changes by a given KL with each step, however its weights are scaled."""

    config: TRPOConfig

    def __init__(self, config: TRPOConfig, spec: ModelSpec, seed: np.ndarray):
        super().__init__(config, spec, seed, BodySettings(config.images, config.vectors, config.style))
        self._policy_weights = list(self.network.policy_weights.values())
        self.optimizers["value_optimizer"] = Optimizer(self.network.value_weights, config.value_optimizer)

    def improve(self, samples: Samples, seed: tf.Tensor, imagined: bool) -> tuple[dict[str, tf.Tensor], tf.Tensor]:
        with tf.GradientTape() as tape:
            old = self.policy(samples)
            loss = self._surrogate_loss(old, tf.stop_gradient(old), samples)
        gradient = to_vector(tape.gradient(loss, self._policy_weights))
        step = self._natural_step(gradient, samples)
        share, backtracks = self._take(step, old, loss, samples)
        value = self.fit_value(samples, self.optimizers["value_optimizer"], self.config.value_steps)
        new = self.policy(samples)
        figures = {
            "policy_loss": self._surrogate_loss(new, old, samples),
            "entropy": weighted_mean(self.distribution.entropy(old), samples.weights),
            "kl": self._kl(old, new, samples),
            "gradient_norm": tf.norm(gradient),
            "step_share": share,
            "backtracks": tf.cast(backtracks, tf.float32),
        }
        finite = tf.reduce_all(tf.math.is_finite(step)) & tf.math.is_finite(loss)
        return figures | value.figures, finite & value.finite

    def _natural_step(self, gradient: tf.Tensor, samples: Samples) -> tf.Tensor:
        """Return the step against the gradient that costs `kl_limit` by the quadratic estimate."""

        def product(vector: tf.Tensor) -> tf.Tensor:
            changed = fisher_vector_product(
                lambda: self.policy(samples), self._policy_weights, vector, self.distribution, samples.weights
            )
            return changed + self.config.damping * vector

        direction = conjugate_gradient(product, -gradient, CONJUGATE_GRADIENT_STEPS)
        return longest_step(direction, product(direction), self.config.kl_limit) * direction

    def _take(self, step: tf.Tensor, old: tf.Tensor, loss: tf.Tensor, samples: Samples) -> tuple[tf.Tensor, tf.Tensor]:
        """Move the policy by as much of a step as is safe, and return its share and how often it was shortened."""
        before = [tf.identity(variable) for variable in self._policy_weights]

        def move(share: tf.Tensor) -> None:
            changes = from_vector(share * step, self._policy_weights)
            for variable, value, change in zip(self._policy_weights, before, changes, strict=True):
                variable.assign(value + change)

        def accepts(share: tf.Tensor) -> tf.Tensor:
            move(share)
            new = self.policy(samples)
            near = self._kl(old, new, samples) <= self.config.kl_limit
            return near & (self._surrogate_loss(new, old, samples) <= loss)

        share, backtracks = tf.constant(1.0), tf.constant(0)
        if self.config.line_search:
            share, backtracks = backtrack(accepts, BACKTRACK_FACTOR, BACKTRACK_STEPS)
        move(share)
        return share, backtracks

    def _surrogate_loss(self, parameters: tf.Tensor, old: tf.Tensor, samples: Samples) -> tf.Tensor:
        """Return minus the return that is expected of new parameters, as far as samples of the old ones tell."""
        log_probability, before = (self.distribution.log_probability(x, samples.actions) for x in (parameters, old))
        ratio = tf.exp(log_probability - before)
        return -weighted_mean(ratio * samples.advantages, samples.weights)

    def _kl(self, old: tf.Tensor, new: tf.Tensor, samples: Samples) -> tf.Tensor:
        return weighted_mean(self.distribution.kl(old, new), samples.weights)
