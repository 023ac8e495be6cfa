"""Scheduled numbers of a configuration become tensors that change with the updates."""

from __future__ import annotations

import tensorflow as tf

from worldmodels.core.configuration.number_schedules import parse_schedule


def value_at(number: float | str, updates: tf.Tensor) -> float | tf.Tensor:
    """Return a number after so many updates, a scalar: a constant as it is, of a schedule a float32 scalar."""
    if not isinstance(number, str):
        return number
    schedule = parse_schedule(number)
    share = tf.cast(updates, tf.float32) / schedule.updates
    if schedule.kind == "exp":
        return schedule.last + (schedule.first - schedule.last) * tf.pow(0.5, share)
    along = schedule.first + (schedule.last - schedule.first) * tf.minimum(share, 1.0)
    return 1.0 - 1.0 / along if schedule.kind == "horizon" else along
