"""DreamerV3's symexp two-hot distribution predicts numbers of any size as classes (Hafner et al. 2023).

A number is spread over the two nearest of 255 fixed values, which lie dense around 0 and reach past 10**8. A network
that predicts the class learns by cross entropy, whose gradient does not grow with the number. It distinguishes "0 or
10" from "always 5", and regression does not.
"""

from __future__ import annotations

import numpy as np
import tensorflow as tf

BINS = 255
_HALF = np.expm1(np.linspace(-20.0, 0.0, BINS // 2 + 1, dtype=np.float64) * -1.0)  # largest first, 0 last
VALUES = np.concatenate([-_HALF, _HALF[-2::-1]]).astype(np.float32)
"""The values of the classes, float32 (255,), ascending and symmetric around 0."""


@tf.custom_gradient
def two_hot_mean(logits: tf.Tensor) -> tuple[tf.Tensor, object]:
    """Return the expected value, float32 (...), of logits (..., 255); exactly 0 where they are symmetric."""
    probabilities = tf.nn.softmax(logits)
    weighed = probabilities * VALUES
    middle = BINS // 2
    # From both ends inwards: equal and opposite terms meet, where one sum from the left would leave rounding errors.
    mean = tf.reduce_sum(weighed[..., :middle] + tf.reverse(weighed[..., middle + 1 :], [-1]), -1)

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
