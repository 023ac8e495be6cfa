"""TensorFlow computes on the first GPU, or on the processor without one."""

from __future__ import annotations

from typing import Any

import tensorflow as tf

from worldmodels.core.processor import Processor, this_processor

FIRST_WITH_BFLOAT16 = (8, 0)
"""Compute capability from which NVIDIA's GPUs multiply in bfloat16."""


def has_gpu() -> bool:
    """Return whether TensorFlow finds a GPU."""
    return bool(tf.config.list_physical_devices("GPU"))


def gpu_names() -> list[str]:
    """Return the names of all GPUs that TensorFlow finds, in its order."""
    return [details.get("device_name", "GPU") for details in _gpus()]


def computing_processor() -> Processor:
    """Return the first GPU, or this machine's processor if TensorFlow finds no GPU."""
    if not has_gpu():
        return this_processor()
    capability = _gpus()[0].get("compute_capability", (0, 0))
    return Processor(gpu_names()[0], "GPU bfloat16" if capability >= FIRST_WITH_BFLOAT16 else "GPU")


def wait_for_gpu() -> None:
    """Wait until all computation is finished: a GPU continues to work after the call of a graph returns."""
    tf.test.experimental.sync_devices()


def _gpus() -> list[dict[str, Any]]:
    return [tf.config.experimental.get_device_details(gpu) for gpu in tf.config.list_physical_devices("GPU")]
