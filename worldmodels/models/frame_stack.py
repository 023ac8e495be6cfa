"""The last few frames, and nothing else: what an agent sees that learns from pixels alone."""

from __future__ import annotations

from typing import Any

import numpy as np
import tensorflow as tf

from worldmodels.models.frame_stack_config import FrameStackConfig
from worldmodels.models.graph import graph


def push(stack: tf.Tensor, frame: tf.Tensor, is_first: tf.Tensor) -> tf.Tensor:
    """Push `frame` uint8 (B, H, W, C) on the stack uint8 (B, H, W, F), or fill the stack with it where `is_first`."""
    count = stack.shape[-1] // frame.shape[-1]
    if count == 1:
        return frame
    moved = tf.concat([stack[..., frame.shape[-1] :], frame], -1)

    def begun() -> tf.Tensor:
        return tf.where(is_first[:, None, None, None], tf.concat([frame] * count, -1), moved)

    # Episodes seldom begin, and filling stacks takes longer than moving them.
    return tf.cond(tf.reduce_any(is_first), begun, lambda: moved)


class FrameStack:
    """A `Representation` (see `models/api.py` for the methods) that learns nothing; its state is the stack."""

    def __init__(
        self, config: FrameStackConfig, observation_shape: tuple[int, int, int], num_actions: int, seed: np.ndarray
    ):
        self.config = config
        self.spec = config.spec(observation_shape, num_actions)

    def initial(self, batch: int) -> tf.Tensor:
        return tf.zeros((batch, *self.spec.feature_shape), tf.uint8)

    @graph
    def observe(self, state, observation, previous_action, is_first, seed) -> tf.Tensor:
        return push(state, observation, is_first)

    def features(self, state: tf.Tensor) -> tf.Tensor:
        return state

    def save(self) -> dict[str, Any]:
        return {}

    def load(self, tree: dict[str, Any]) -> None:
        pass
