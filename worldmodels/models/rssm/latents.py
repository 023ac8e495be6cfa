"""The stochastic part of the state is categorical or Gaussian.

`statistics` are the numbers that a network gives for a distribution, float32 (..., statistics_size); a latent is one
draw from it, flattened, float32 (..., size).
"""

from __future__ import annotations

from collections.abc import Sequence

import tensorflow as tf

from worldmodels.models import distributions, draws
from worldmodels.models.devices import draw_rows
from worldmodels.models.rssm.config import RSSMConfig


class CategoricalLatents:
    """Categorical latents: one-hot vectors with straight-through gradients (DreamerV2)."""

    def __init__(self, config: RSSMConfig):
        self._shape = (config.latents, config.classes)
        self._mix = config.uniform_mix
        self.size = self.statistics_size = config.latents * config.classes

    def noise(self, leading: Sequence[int | tf.Tensor], seed: tf.Tensor) -> tf.Tensor:
        """Return the noise for `sample`, drawn in one piece for many steps: (*leading, latents, classes).

        Args:
            leading: the leading axes; the last of them holds the rows of the batch.
        """
        shape = (*leading, *self._shape)
        return draw_rows(lambda shape: distributions.gumbel_noise(shape, seed), shape, len(leading) - 1)

    def sample(self, statistics: tf.Tensor, noise: tf.Tensor, temperature: float | tf.Tensor = 1.0) -> tf.Tensor:
        logits = tf.reshape(statistics, (-1, *self._shape))
        return tf.reshape(distributions.sample_one_hot(logits, noise, temperature, self._mix), (-1, self.size))

    def kl(self, statistics: tf.Tensor, other: tf.Tensor) -> tf.Tensor:
        """Return KL(statistics || other) in nats, summed over the variables: (N,)."""
        return tf.reduce_sum(distributions.categorical_kl(self._logits(statistics), self._logits(other)), -1)

    def entropy(self, statistics: tf.Tensor) -> tf.Tensor:
        """Return the entropy in nats, summed over the variables: (N,)."""
        return tf.reduce_sum(distributions.categorical_entropy(self._logits(statistics)), -1)

    def probabilities(self, statistics: tf.Tensor) -> tf.Tensor:
        """Return the probability of each class, float32 (N, latents, classes)."""
        return tf.nn.softmax(self._logits(statistics))

    def classes(self, latent: tf.Tensor) -> tf.Tensor:
        """Return the class of each variable of a draw, int32 (N, latents)."""
        return tf.argmax(tf.reshape(latent, (-1, *self._shape)), -1, tf.int32)

    def of_classes(self, classes: tf.Tensor) -> tf.Tensor:
        """Return the latent in which each variable has its class, of int32 (N, latents)."""
        return tf.reshape(tf.one_hot(classes, self._shape[1]), (-1, self.size))

    def _logits(self, statistics: tf.Tensor) -> tf.Tensor:
        return distributions.mix_uniform(tf.reshape(statistics, (-1, *self._shape)), self._mix)


class GaussianLatents:
    """Gaussian latents with a standard deviation between 0.1 and 2.1."""

    def __init__(self, config: RSSMConfig):
        self.size, self.statistics_size = config.latents, 2 * config.latents

    def noise(self, leading: Sequence[int | tf.Tensor], seed: tf.Tensor) -> tf.Tensor:
        """Return the noise for `sample`, drawn in one piece for many steps: (*leading, latents); as above."""
        shape = (*leading, self.size)
        return draw_rows(lambda shape: draws.normal(shape, seed), shape, len(leading) - 1)

    def sample(self, statistics: tf.Tensor, noise: tf.Tensor, temperature: float | tf.Tensor = 1.0) -> tf.Tensor:
        mean, deviation = self._moments(statistics)
        return mean + temperature * deviation * noise

    def kl(self, statistics: tf.Tensor, other: tf.Tensor) -> tf.Tensor:
        """Return KL(statistics || other) in nats, summed over the variables: (N,)."""
        return tf.reduce_sum(distributions.gaussian_kl(*self._moments(statistics), *self._moments(other)), -1)

    def entropy(self, statistics: tf.Tensor) -> tf.Tensor:
        """Return the entropy in nats, summed over the variables: (N,)."""
        return tf.reduce_sum(distributions.gaussian_entropy(self._moments(statistics)[1]), -1)

    def _moments(self, statistics: tf.Tensor) -> tuple[tf.Tensor, tf.Tensor]:
        mean, raw = tf.split(statistics, 2, -1)
        return mean, 2.0 * tf.sigmoid(raw / 2.0) + 0.1


def build_latents(config: RSSMConfig) -> CategoricalLatents | GaussianLatents:
    """Build the latents of a configuration: with `classes` 0 they are Gaussian."""
    return CategoricalLatents(config) if config.classes else GaussianLatents(config)
