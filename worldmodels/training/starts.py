"""Where imagination starts, when not where the model was last fitted: at the end of recorded windows."""

from __future__ import annotations

from typing import Any

import numpy as np
import tensorflow as tf

from worldmodels.models.api import WorldModel
from worldmodels.replay import Replay, previous_actions
from worldmodels.runtime.config import StartsConfig


def draw_starts(
    model: WorldModel, replay: Replay, config: StartsConfig, generator: np.random.Generator, seed: tf.Tensor
) -> tuple[Any, tf.Tensor]:
    """Draw windows of the training split, and let the model follow them.

    Returns:
        The last state of each window, leading (rollouts, 1), and whether its episode goes on, float32 (rollouts, 1).
    """
    windows = replay.sample(
        config.rollouts, config.context, generator, "training", config.newest, beginnings=config.beginnings
    )
    states = model.observe_sequence(
        tf.constant(windows.observation),
        tf.constant(previous_actions(windows)),
        tf.constant(windows.is_first),
        seed,
    )
    last = tf.nest.map_structure(lambda x: x[:, -1:], states)
    return last, tf.constant(~windows.is_terminal[:, -1:], tf.float32)
