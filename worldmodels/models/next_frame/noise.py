"""Random draws of one pass through a network."""

from __future__ import annotations

import tensorflow as tf


class Noise:
    """Seeds for the draws of one pass, in the order in which they are asked for; or no noise at all.

    Each draw gets a seed of its own, folded from that of the pass and a count kept while the graph is made, so a pass
    always repeats.
    """

    def __init__(self, seed: tf.Tensor | None):
        """Start a stream from `seed`, int32 (2,), while training; None outside."""
        self._seed = seed
        self._draws = 0

    @property
    def training(self) -> bool:
        return self._seed is not None

    def seed(self) -> tf.Tensor:
        """Return another seed, int32 (2,), at each call."""
        self._draws += 1
        return tf.random.experimental.stateless_fold_in(self._seed, self._draws)

    def uniform(self, shape) -> tf.Tensor:
        """Return uniform numbers, float32 in [0, 1)."""
        return tf.random.stateless_uniform(shape, self.seed())

    def dropout(self, x: tf.Tensor, rate: float) -> tf.Tensor:
        """Return `x` with a share `rate` of its values zeroed and the others scaled up; `x` itself outside training."""
        if not rate or not self.training:
            return x
        keep = tf.cast(self.uniform(tf.shape(x)) >= rate, tf.float32)
        return x * (keep * (1.0 / (1.0 - rate)))


QUIET = Noise(None)
