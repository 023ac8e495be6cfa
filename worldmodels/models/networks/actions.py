"""Networks read actions as vectors."""

from __future__ import annotations

import tensorflow as tf

from worldmodels.core.specs import ActionSpec


def action_vectors(actions: tf.Tensor, spec: ActionSpec) -> tf.Tensor:
    """Return actions as float32 vectors (..., spec.width): choices as one-hot vectors, numbers as they are.

    Args:
        actions: choices int32 (...), or as one-hot vectors float32 (..., count), or numbers float32 (..., size).
    """
    return tf.one_hot(actions, spec.count) if tf.as_dtype(actions.dtype).is_integer else actions
