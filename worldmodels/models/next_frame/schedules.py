"""Schedules give numbers by the count of updates, a float32 scalar."""

from __future__ import annotations

import tensorflow as tf

from worldmodels.models.next_frame.config import SamplingConfig

FLOOR = 0.01
"""First value of a ramp, and of the exponential factor of the probability."""


def ramp(updates: tf.Tensor, until: int) -> tf.Tensor:
    """Return a line from `FLOOR` at update 0 to 1 at update `until`; 1 afterwards, and always where `until` is 0."""
    return FLOOR + (1.0 - FLOOR) * tf.minimum(updates / until, 1.0) if until else tf.ones_like(updates)


def sampling_probability(config: SamplingConfig, updates: tf.Tensor) -> tf.Tensor:
    """Return the probability that a frame of the model's own replaces a recorded one.

    p(t) = final * FLOOR ** (max(E - t, 0) / E) * (FLOOR + (1 - FLOOR) * min(t / L, 1)), with E and L the numbers of
    exponential and linear updates.
    """
    missing = 1.0 - tf.minimum(updates / config.exponential_updates, 1.0) if config.exponential_updates else 0.0
    return config.final * tf.pow(FLOOR, missing) * ramp(updates, config.linear_updates)
