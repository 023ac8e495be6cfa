"""The hardware on which TensorFlow computes: the first GPU, or the processor."""

from __future__ import annotations

import tensorflow as tf

from worldmodels.core.processor import Processor, this_processor

FIRST_WITH_BFLOAT16 = (8, 0)
"""Compute capability from which NVIDIA's GPUs multiply in bfloat16."""


def has_gpu() -> bool:
    """Return whether TensorFlow sees a GPU."""
    return bool(tf.config.list_physical_devices("GPU"))


def computing_processor() -> Processor:
    """Return the first GPU, or this machine's processor where TensorFlow sees none."""
    gpus = tf.config.list_physical_devices("GPU")
    if not gpus:
        return this_processor()
    details = tf.config.experimental.get_device_details(gpus[0])
    new_enough = details.get("compute_capability", (0, 0)) >= FIRST_WITH_BFLOAT16
    return Processor(details.get("device_name", "GPU"), "GPU bfloat16" if new_enough else "GPU")


def wait_for_gpu() -> None:
    """Wait until everything that was asked for is computed: a GPU's work goes on when the call of a graph is over."""
    tf.test.experimental.sync_devices()
