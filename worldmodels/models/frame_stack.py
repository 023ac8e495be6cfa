"""The frame stack holds the last few images, and vectors unchanged, for agents without a world model."""

from __future__ import annotations

from typing import Any

import numpy as np
import tensorflow as tf

from worldmodels.core.specs import ActionSpec, ObservationSpec
from worldmodels.models.config import FrameStackConfig
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
    """A `Representation` (see `models/api.py` for the methods) that learns nothing.

    Its state is its features: stacks of images, uint8 (B, H, W, F), and vectors, float32 (B, D).
    """

    def __init__(self, config: FrameStackConfig, observation: ObservationSpec, action: ActionSpec, seed: np.ndarray):
        self.config = config
        self.spec = config.spec(observation, action)

    def initial(self, batch: int) -> Any:
        return tf.nest.map_structure(tf.constant, self.spec.features.zeros(batch))

    @graph
    def observe(self, state, observation, previous_action, is_first, seed) -> Any:
        seen, before = self.spec.observation.arrays(observation), self.spec.features.arrays(state)
        images = self.spec.observation.images
        stacked = {name: push(before[name], x, is_first) if name in images else x for name, x in seen.items()}
        return self.spec.features.pack(stacked)

    def features(self, state: Any) -> Any:
        return state

    def save(self) -> dict[str, Any]:
        return {}

    def load(self, tree: dict[str, Any]) -> None:
        pass
