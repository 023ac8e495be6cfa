"""Running moments normalise the features and rewards from which agents learn."""

from __future__ import annotations

from typing import Any

import numpy as np
import tensorflow as tf

from worldmodels.agents.api import Rollouts
from worldmodels.agents.returns import discounted_sums
from worldmodels.core.specs import ObservationSpec

LARGEST = 10.0
"""Normalised numbers are clipped to this many standard deviations."""
SMALLEST_VARIANCE = 1e-8
NEWEST_SHARE = 0.2
"""Part of the newest deviation in a moving average: rollouts differ, and so do policies of a few iterations ago."""


class RunningMoments:
    """The mean and the variance, of each of D numbers, over all rows that were ever taken in (Chan et al. 1983)."""

    def __init__(self, size: int):
        # A float32 count would stop at 16 million.
        self.count = tf.Variable(0.0, dtype=tf.float64, trainable=False)
        self.mean = tf.Variable(tf.zeros((size,)), trainable=False)
        self.variance = tf.Variable(tf.ones((size,)), trainable=False)

    def take_in(self, rows: tf.Tensor, when: tf.Tensor) -> None:
        """Take in rows, float32 (N, D), N above 0, where the scalar `when` holds."""
        new = tf.cast(tf.where(when, tf.shape(rows)[0], 0), tf.float64)
        count = self.count + new
        share = tf.cast(tf.math.divide_no_nan(new, count), tf.float32)  # of the new rows in all
        mean, variance = tf.nn.moments(rows, 0)
        change = tf.where(when, mean - self.mean, 0.0)
        spread = tf.where(when, variance - self.variance, 0.0)
        self.variance.assign_add(share * (spread + (1.0 - share) * tf.square(change)))
        self.mean.assign_add(share * change)
        self.count.assign(count)

    def state(self) -> list[tf.Variable]:
        """Return everything that taking in changes."""
        return [self.count, self.mean, self.variance]

    def normalized(self, x: tf.Tensor) -> tf.Tensor:
        """Return numbers (..., D) with mean 0 and variance 1, at most 10 from 0; as they are before anything came."""
        scaled = (x - self.mean) * tf.math.rsqrt(self.variance + SMALLEST_VARIANCE)
        return tf.clip_by_value(scaled, -LARGEST, LARGEST)

    def save(self) -> dict[str, Any]:
        """Return count, mean and variance."""
        return {"count": float(self.count.numpy()), "mean": self.mean.numpy(), "variance": self.variance.numpy()}

    def load(self, tree: dict[str, Any]) -> None:
        """Take over what `save` gave."""
        self.count.assign(tree["count"])
        self.mean.assign(np.asarray(tree["mean"]))
        self.variance.assign(np.asarray(tree["variance"]))


class FeatureNormalizer:
    """The moments of all vectors among an agent's features; images are left alone."""

    def __init__(self, features: ObservationSpec):
        self._spec = features
        self._moments = {name: RunningMoments(part.size) for name, part in features.parts if not part.is_image}

    @property
    def count(self) -> tf.Tensor:
        """Return how many rows were taken in; where there is no vector, more than none."""
        counts = [moments.count for moments in self._moments.values()]
        return counts[0] if counts else tf.constant(1.0, tf.float64)

    def state(self) -> list[tf.Variable]:
        """Return everything that taking in changes."""
        return [variable for moments in self._moments.values() for variable in moments.state()]

    def take_in(self, features: Any, when: tf.Tensor) -> None:
        """Take in features with leading axes, where the scalar `when` holds."""
        for name, array in self._spec.arrays(features).items():
            if name in self._moments:
                self._moments[name].take_in(tf.reshape(array, (-1, array.shape[-1])), when)

    def __call__(self, features: Any) -> Any:
        """Return features with their vectors normalised."""
        arrays, moments = self._spec.arrays(features), self._moments
        return self._spec.pack(
            {name: moments[name].normalized(x) if name in moments else x for name, x in arrays.items()}
        )

    def save(self) -> dict[str, Any]:
        """Return the moments by the number of their part, since the only part of an observation has no name."""
        return {f"part_{i}": moments.save() for i, moments in enumerate(self._moments.values())}

    def load(self, tree: dict[str, Any]) -> None:
        """Take over what `save` gave."""
        for i, moments in enumerate(self._moments.values()):
            moments.load(tree[f"part_{i}"])


class MovingDeviation:
    """A moving average of standard deviations; 0 before the first."""

    def __init__(self) -> None:
        self.value = tf.Variable(0.0, trainable=False)

    def take_in(self, deviation: tf.Tensor, when: tf.Tensor) -> None:
        """Take in one more, where the scalar `when` holds; the first is taken over whole."""
        share = tf.where(self.value > 0.0, NEWEST_SHARE, 1.0)
        self.value.assign_add(tf.where(when, share * (deviation - self.value), 0.0))

    def share(self, deviation: tf.Tensor) -> tf.Tensor:
        """Return what a deviation is of the average, at most 1; 1 before anything was taken in."""
        return tf.where(self.value > 0.0, tf.minimum(1.0, tf.math.divide_no_nan(deviation, self.value)), 1.0)

    def save(self) -> dict[str, Any]:
        """Return the average."""
        return {"value": float(self.value.numpy())}

    def load(self, tree: dict[str, Any]) -> None:
        """Take over what `save` gave."""
        self.value.assign(tree["value"])


class RewardNormalizer:
    """Rewards divided by the running standard deviation of their discounted sums (`VecNormalize` of Baselines).

    A sum holds the rewards of an episode so far, and no value of a network. A unit of bootstrapped returns would
    multiply the network's outputs by itself at each update, and grow without end.
    """

    def __init__(self, discount: float) -> None:
        self._discount, self._moments = discount, RunningMoments(1)
        self._sums = tf.Variable(tf.zeros((0,)), trainable=False, shape=(None,))
        """float32 (B,): the sums where the last real rollouts ended, at which the next ones begin."""

    @property
    def scale(self) -> tf.Tensor:
        """Return the divisor of rewards, a scalar; 1 before anything came."""
        return tf.sqrt(self._moments.variance[0] + SMALLEST_VARIANCE)

    @property
    def count(self) -> tf.Tensor:
        """Return the number of sums taken in."""
        return self._moments.count

    def normalized(self, rewards: tf.Tensor) -> tf.Tensor:
        """Return rewards of any shape, divided and clipped to 10: before the first reward the divisor is nearly 0."""
        return tf.clip_by_value(rewards / self.scale, -LARGEST, LARGEST)

    def take_in(self, rollouts: Rollouts, when: tf.Tensor, imagined: bool) -> None:
        """Take in the sums after all steps of rollouts, where the scalar `when` holds.

        Args:
            imagined: whether sums begin at 0. Else these rollouts begin where the last ones ended.
        """
        before = tf.zeros_like(rollouts.rewards[0])
        if not imagined:
            before = tf.concat([self._sums, before], 0)[: before.shape[0]]
        sums = discounted_sums(rollouts, before, self._discount)
        after_steps = tf.boolean_mask(sums[1:], ~rollouts.is_first[1:])
        self._moments.take_in(after_steps[:, None], when & (tf.size(after_steps) > 0))
        if not imagined:
            self._sums.assign(tf.cond(when, lambda: sums[-1], self._sums.read_value))

    def save(self) -> dict[str, Any]:
        """Return the moments and the sums."""
        return self._moments.save() | {"sums": self._sums.numpy()}

    def load(self, tree: dict[str, Any]) -> None:
        """Take over what `save` gave."""
        self._moments.load(tree)
        self._sums.assign(np.asarray(tree["sums"]))
