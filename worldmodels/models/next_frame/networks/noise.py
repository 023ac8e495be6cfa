"""One pass through a network draws its random numbers here."""

from __future__ import annotations

from collections.abc import Callable

import tensorflow as tf

from worldmodels.models.devices import draw_rows


class Noise:
    """Seeds for the draws of one pass, in the order of the calls; or no noise at all.

    Each draw has its own seed, folded from the pass's seed and a count kept while the graph is made. So a pass always
    repeats.
    """

    def __init__(self, seed: tf.Tensor | None, steps: int = 1):
        """Start a stream from `seed`, int32 (2,), while training; None outside.

        The rows are `steps` steps of all windows, one step after the other.
        """
        self._seed, self.steps = seed, steps
        self._draws = 0

    @property
    def training(self) -> bool:
        return self._seed is not None

    def seed(self) -> tf.Tensor:
        """Return another seed, int32 (2,), at each call."""
        self._draws += 1
        return tf.random.experimental.stateless_fold_in(self._seed, self._draws)

    def draw(self, draw: Callable[..., tf.Tensor], shape, axis: int = 0) -> tf.Tensor:
        """Return `draw(shape, seed)`, for the rows along an axis."""
        seed = self.seed()
        return draw_rows(lambda shape: draw(shape, seed), shape, axis, self.steps)

    def uniform(self, shape, axis: int = 0) -> tf.Tensor:
        """Return uniform numbers, float32 in [0, 1), for the rows along an axis."""
        return self.draw(tf.random.stateless_uniform, shape, axis)

    def dropout(self, x: tf.Tensor, rate: float, axis: int = 0) -> tf.Tensor:
        """Return `x` with a share `rate` of its values zeroed and the others scaled up; `x` itself outside training.

        Rows stand along an axis.
        """
        if not rate or not self.training:
            return x
        keep = tf.cast(self.uniform(tf.shape(x), axis) >= rate, tf.float32)
        return x * (keep * (1.0 / (1.0 - rate)))


QUIET = Noise(None)
