"""Distributions of latents, actions and targets stand here; no other module imports TensorFlow Probability.

Categoricals are given by logits (..., C). They are written out here because they sit in the inner loop: one pass for a
sample, one for a KL, where the general classes make several. Random draws take their noise as an argument, so that a
loop over time draws it once, before it starts.

A temperature scales the noise of a draw: 1 samples, 0 gives the mode. For categoricals, a value between them samples
from the softmax of logits / temperature.

DreamerV3's symexp two-hot distribution predicts numbers of any size as classes (Hafner et al. 2023).

A number is spread over the two nearest of 255 fixed values, which lie dense around 0 and reach past 10**8. A network
that predicts the class learns by cross entropy, whose gradient does not grow with the number. It distinguishes "0 or
10" from "always 5", and regression does not.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import tensorflow as tf

from worldmodels.models import draws
from worldmodels.models.devices import has_gpu

SMALLEST = 1.1754944e-38  # the least positive normal float32
HALF_LOG_2_PI = 0.9189385332046727


def gumbel_noise(shape: Sequence[int | tf.Tensor], seed: tf.Tensor) -> tf.Tensor:
    """Return standard Gumbel noise, float32; the argument of the maximum of logits + noise is a categorical sample."""
    # A uniform draw can be 0, whose logarithm is infinite.
    uniform = draws.uniform(shape, seed, minval=SMALLEST)
    return -tf.math.log(-tf.math.log(uniform))


def sample_categorical(logits: tf.Tensor, noise: tf.Tensor, temperature: float | tf.Tensor = 1.0) -> tf.Tensor:
    """Return class indices int32 (...), with Gumbel `noise` of the logits' shape."""
    return tf.argmax(logits + temperature * noise, -1, tf.int32)


def sample_one_hot(
    logits: tf.Tensor, noise: tf.Tensor, temperature: float | tf.Tensor = 1.0, uniform_mix: float = 0.0
) -> tf.Tensor:
    """Return a sample as a one-hot vector (..., C), of the softmax of `logits` mixed with the uniform distribution.

    The value is exactly one-hot; the gradient is that of the probabilities (straight through; Bengio et al. 2013).
    Written out, so that the gradient need not compute the softmax again: a model update of `dreamer_small` takes 3.5 %
    less time.
    """

    @tf.custom_gradient
    def sample(logits: tf.Tensor) -> tuple[tf.Tensor, object]:
        probabilities = small_softmax(logits)
        mixed = tf.math.log((1.0 - uniform_mix) * probabilities + uniform_mix / logits.shape[-1])
        index = sample_categorical(mixed if uniform_mix else logits, noise, temperature)

        def gradient(upstream: tf.Tensor) -> tf.Tensor:
            # Inside the gradient of a loop the static shape is lost.
            weighed = tf.ensure_shape(probabilities, logits.shape) * ((1.0 - uniform_mix) * upstream)
            return weighed - probabilities * tf.reduce_sum(weighed, -1, keepdims=True)

        return tf.one_hot(index, logits.shape[-1]), gradient

    return sample(logits)


def small_softmax(logits: tf.Tensor) -> tf.Tensor:
    """Return the softmax over few classes; TensorFlow's own spends three times as long on a few thousand numbers."""
    exponentials = tf.exp(logits - tf.reduce_max(logits, -1, keepdims=True))
    return exponentials / tf.reduce_sum(exponentials, -1, keepdims=True)


def mix_uniform(logits: tf.Tensor, share: float) -> tf.Tensor:
    """Return normalised logits of the mixture with the uniform distribution (DreamerV3); `share` 0 changes nothing."""
    if not share:
        return logits
    return tf.math.log((1.0 - share) * tf.nn.softmax(logits) + share / logits.shape[-1])


def categorical_kl(logits: tf.Tensor, other: tf.Tensor) -> tf.Tensor:
    """Return the KL(logits || other) in nats, (...)."""
    log_p, log_q = tf.nn.log_softmax(logits), tf.nn.log_softmax(other)
    return tf.reduce_sum(tf.exp(log_p) * (log_p - log_q), -1)


def categorical_entropy(logits: tf.Tensor) -> tf.Tensor:
    """Return the entropy in nats, (...)."""
    log_p = tf.nn.log_softmax(logits)
    return -tf.reduce_sum(tf.exp(log_p) * log_p, -1)


def categorical_log_probability(logits: tf.Tensor, index: tf.Tensor) -> tf.Tensor:
    """Return log p(index), (...)."""
    return -categorical_nll(logits, index)


def categorical_nll(logits: tf.Tensor, index: tf.Tensor) -> tf.Tensor:
    """Return -log p(index) in nats, (...), for indices int32 (...)."""
    if has_gpu():
        return tf.nn.sparse_softmax_cross_entropy_with_logits(index, logits)
    return _categorical_nll(logits, index)


@tf.custom_gradient
def _categorical_nll(logits: tf.Tensor, index: tf.Tensor) -> tuple[tf.Tensor, object]:
    """Call the operation behind TensorFlow's function, which gives the gradient along with the value.

    With deterministic operations TensorFlow's function does not use it, because it is not deterministic on a GPU. Its
    sum of segments on one thread was a fifth of an update, for a class of each pixel.
    """
    rows = tf.reshape(logits, (-1, logits.shape[-1]))
    nats, slopes = tf.raw_ops.SparseSoftmaxCrossEntropyWithLogits(features=rows, labels=tf.reshape(index, (-1,)))

    def gradient(upstream: tf.Tensor) -> tuple[tf.Tensor, None]:
        return tf.reshape(tf.reshape(upstream, (-1, 1)) * slopes, tf.shape(logits)), None

    return tf.ensure_shape(tf.reshape(nats, tf.shape(index)), index.shape), gradient


def gaussian_kl(mean: tf.Tensor, deviation: tf.Tensor, other_mean: tf.Tensor, other_deviation: tf.Tensor) -> tf.Tensor:
    """Return the KL between normal distributions, element by element, in nats."""
    import tensorflow_probability as tfp  # seconds to import, and only Gaussian latents need it

    normal = tfp.distributions.Normal
    return tfp.distributions.kl_divergence(normal(mean, deviation), normal(other_mean, other_deviation))


def gaussian_entropy(deviation: tf.Tensor) -> tf.Tensor:
    """Return the entropy of normal distributions, element by element, in nats."""
    return 1.4189385332046727 + tf.math.log(deviation)  # (1 + log 2 pi) / 2


def categorical_fisher(logits: tf.Tensor, direction: tf.Tensor) -> tf.Tensor:
    """Return the Fisher information matrix of the logits times a direction, both (..., C).

    It is the Hessian of the KL between two categoricals where they are equal.
    """
    probabilities = tf.nn.softmax(logits)
    return probabilities * (direction - tf.reduce_sum(probabilities * direction, -1, keepdims=True))


# Diagonal Gaussians over D numbers are given by (..., 2 D): the means, then the logarithms of the standard deviations.


def sample_diagonal_gaussian(
    parameters: tf.Tensor, noise: tf.Tensor, temperature: float | tf.Tensor = 1.0
) -> tf.Tensor:
    """Return samples (..., D), with standard normal `noise` of that shape."""
    mean, log_deviation = tf.split(parameters, 2, -1)
    return mean + temperature * tf.exp(log_deviation) * noise


def diagonal_gaussian_log_probability(parameters: tf.Tensor, x: tf.Tensor) -> tf.Tensor:
    """Return the logarithm of the density at `x` (..., D), (...)."""
    mean, log_deviation = tf.split(parameters, 2, -1)
    squares = tf.square((x - mean) * tf.exp(-log_deviation))
    return -tf.reduce_sum(0.5 * squares + log_deviation + HALF_LOG_2_PI, -1)


def diagonal_gaussian_entropy(parameters: tf.Tensor) -> tf.Tensor:
    """Return the entropy in nats, (...)."""
    return tf.reduce_sum(tf.split(parameters, 2, -1)[1] + HALF_LOG_2_PI + 0.5, -1)


def diagonal_gaussian_kl(parameters: tf.Tensor, other: tf.Tensor) -> tf.Tensor:
    """Return the KL(parameters || other) in nats, (...)."""
    (mean, log_deviation), (other_mean, other_log_deviation) = (tf.split(x, 2, -1) for x in (parameters, other))
    change = log_deviation - other_log_deviation
    distance = (mean - other_mean) * tf.exp(-other_log_deviation)
    return tf.reduce_sum(0.5 * (tf.exp(2.0 * change) + tf.square(distance) - 1.0) - change, -1)


def diagonal_gaussian_fisher(parameters: tf.Tensor, direction: tf.Tensor) -> tf.Tensor:
    """Return the Fisher information matrix of the parameters times a direction, both (..., 2 D)."""
    (_, log_deviation), (mean_change, log_change) = (tf.split(x, 2, -1) for x in (parameters, direction))
    return tf.concat([mean_change * tf.exp(-2.0 * log_deviation), 2.0 * log_change], -1)


def normal_nll(mean: tf.Tensor, target: tf.Tensor) -> tf.Tensor:
    """Return the negative log-likelihood of a unit-variance normal, element by element, without its constant 0.919."""
    return 0.5 * tf.math.squared_difference(mean, target)


def bernoulli_nll(logits: tf.Tensor, target: tf.Tensor) -> tf.Tensor:
    """Return the cross entropy with a target probability in [0, 1], element by element."""
    return tf.nn.sigmoid_cross_entropy_with_logits(labels=target, logits=logits)


def symlog(x: tf.Tensor) -> tf.Tensor:
    """Return a logarithm that is odd and smooth at 0 (DreamerV3)."""
    return tf.sign(x) * tf.math.log1p(tf.abs(x))


def symexp(x: tf.Tensor) -> tf.Tensor:
    """Return the inverse of `symlog`."""
    return tf.sign(x) * tf.math.expm1(tf.abs(x))


def scale_gradient(x: tf.Tensor, share: float) -> tf.Tensor:
    """Return `x` with its gradient multiplied by `share`."""
    return share * x + tf.stop_gradient((1.0 - share) * x)


BINS = 255
_HALF = np.expm1(np.linspace(-20.0, 0.0, BINS // 2 + 1, dtype=np.float64) * -1.0)  # largest first, 0 last
VALUES = np.concatenate([-_HALF, _HALF[-2::-1]]).astype(np.float32)
"""The values of the classes, float32 (255,), ascending and symmetric around 0."""


@tf.custom_gradient
def two_hot_mean(logits: tf.Tensor) -> tuple[tf.Tensor, object]:
    """Return the expected value, float32 (...), of logits (..., 255); exactly 0 where they are symmetric."""
    probabilities = tf.nn.softmax(logits)
    middle = BINS // 2
    # Opposite values meet before they are multiplied: rounded products of 1e8 would not cancel.
    surplus = probabilities[..., middle + 1 :] - tf.reverse(probabilities[..., :middle], [-1])
    mean = tf.reduce_sum(surplus * VALUES[middle + 1 :], -1)

    def gradient(upstream: tf.Tensor) -> tf.Tensor:
        # Written out, since that of a slice is a copy of the whole among zeros.
        return upstream[..., None] * probabilities * (VALUES - mean[..., None])

    return mean, gradient


def two_hot_nll(logits: tf.Tensor, target: tf.Tensor) -> tf.Tensor:
    """Return the cross entropy in nats, float32 (...), of logits (..., 255) with targets (...) in their own units."""
    above = tf.clip_by_value(tf.searchsorted(VALUES, tf.reshape(target, (-1,)), side="right"), 1, BINS - 1)
    low, high = tf.gather(VALUES, above - 1), tf.gather(VALUES, above)
    share = tf.clip_by_value((tf.reshape(target, (-1,)) - low) / (high - low), 0.0, 1.0)
    spread = (1.0 - share)[:, None] * tf.one_hot(above - 1, BINS) + share[:, None] * tf.one_hot(above, BINS)
    rows = tf.reshape(logits, (-1, BINS))
    return tf.reshape(-tf.reduce_sum(spread * tf.nn.log_softmax(rows), -1), tf.shape(target))
