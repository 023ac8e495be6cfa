"""Converts features to vectors small enough for a linear regression."""

from __future__ import annotations

import numpy as np
import tensorflow as tf

SIDE = 8
"""Side to which features that are images are averaged."""


def pooled(features: tf.Tensor) -> np.ndarray:
    """Return features (N, F) as they are, and images uint8 (N, h, w, c) averaged over squares: float32 (N, 64 * c)."""
    return np.asarray(as_vectors(features))


def as_vectors(features: tf.Tensor) -> tf.Tensor:
    """Do what `pooled` does, inside a graph."""
    if features.shape.rank == 2:
        return tf.cast(features, tf.float32)
    images = tf.image.resize(tf.cast(features, tf.float32) / 255.0, (SIDE, SIDE), "area")
    return tf.reshape(images, (-1, SIDE * SIDE * features.shape[-1]))
