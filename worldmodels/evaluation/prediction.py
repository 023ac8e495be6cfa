"""A world model looks at some recorded frames, then predicts what follows under the recorded actions.

One letter per axis: W windows, C steps that are seen (the context), H steps that are predicted.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
import tensorflow as tf

from worldmodels.core.seeding import fold
from worldmodels.core.types import Batch, State
from worldmodels.imagination.rollout import unroll
from worldmodels.models.api import WorldModel
from worldmodels.replay.sampling import previous_actions

ROWS = {"vector": 64, "images": 16}
"""Windows predicted at once, by the kind of features: what gives every pixel a class needs tens of megabytes each."""


class OpenLoopPrediction(NamedTuple):
    """What a model made of W windows of C + H steps."""

    looking: np.ndarray
    """uint8 (W, C + H, h, w, c): its image of each frame after having seen that frame."""
    frames: np.ndarray
    """uint8 (W, H, h, w, c): its images of the last H frames, predicted from the first C."""
    rewards: np.ndarray
    """float32 (W, H), predicted likewise."""
    continuations: np.ndarray
    """float32 (W, H): predicted probabilities that the episode goes on."""


class Predictor:
    """Predicts in one graph, which is traced once for each shape of windows."""

    def __init__(self, model: WorldModel, context: int):
        self._model, self._context = model, context
        self._compiled = tf.function(self._look_and_predict, autograph=False)

    def predict(self, windows: Batch, key: np.ndarray, temperature: float = 1.0) -> OpenLoopPrediction:
        """Follows W windows to their end, and predicts what comes after the context without looking.

        Args:
            key: int32 (2,), of all samples.
            temperature: of the model's own randomness: 1 as learned, 0 the most probable future.
        """
        parts = []
        for rows in row_groups(len(windows.action), ROWS[self._model.spec.feature_kind]):
            inputs = tf.nest.map_structure(tf.constant, seen_of(windows, rows))
            seed = tf.constant(fold(key, int(rows[0])))
            made = self._compiled(*inputs, tf.constant(temperature, tf.float32), seed)
            parts.append([array.numpy() for array in made])
        frames, rewards, continuations, *looking = join_groups(parts, len(windows.action))
        return OpenLoopPrediction(looking[0] if looking else windows.observation, frames, rewards, continuations)

    def _look_and_predict(self, observations, previous, is_first, temperature, seed) -> list[tf.Tensor]:
        model, c = self._model, self._context
        seeds = tf.random.split(seed, 3)
        seen = model.observe_sequence(observations[:, :c], previous[:, :c], is_first[:, :c], seeds[0])
        state = last_of(seen)
        actions = by_time(previous[:, c:])  # what was chosen one step before leads to each frame
        made = list(self._predict(state, actions, temperature, seeds[1]))
        if model.spec.reconstructs:
            rest = model.observe_sequence(observations[:, c:], previous[:, c:], is_first[:, c:], seeds[2], state)
            made.append(tf.concat([frames_of(model, seen), frames_of(model, rest)], 0))
        return [by_time(x) for x in made]

    def _predict(self, state: State, actions: tf.Tensor, temperature: tf.Tensor, seed: tf.Tensor) -> Any:
        model, horizon = self._model, actions.shape[0]

        def step(state, inputs):
            seed, action = inputs
            state = model.imagine(state, action, temperature, seed)
            # Frames rather than states are kept: a state may be far larger.
            return state, (model.frame(state), model.reward(state), model.continuation(state))

        return unroll(step, state, (tf.random.split(seed, horizon), actions), horizon)[1]


def seen_of(windows: Batch, rows: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """What `WorldModel.observe_sequence` wants to know of some windows."""
    return windows.observation[rows], previous_actions(windows)[rows], windows.is_first[rows]


def row_groups(count: int, most: int) -> Iterator[np.ndarray]:
    """Indices of `count` rows in groups of one size, at most `most`: a smaller last group would be another graph.

    The last group begins again at the first row where rows are missing.
    """
    size = -(-count // -(-count // most))
    for start in range(0, count, size):
        yield np.arange(start, start + size) % count


def join_groups(parts: list[list[np.ndarray]], count: int) -> list[np.ndarray]:
    """What was made of the groups of `row_groups`, without what was made twice."""
    return [np.concatenate(arrays)[:count] for arrays in zip(*parts, strict=True)]


def by_time(x: tf.Tensor) -> tf.Tensor:
    """(B, T, ...) becomes (T, B, ...), and the other way round."""
    return tf.transpose(x, (1, 0, *range(2, x.shape.rank)))


def last_of(states: State) -> State:
    """The last of states in time, leading (B, T)."""
    return tf.nest.map_structure(lambda x: x[:, -1], states)


def frames_of(model: WorldModel, states: State) -> tf.Tensor:
    """uint8 (T, B, h, w, c): the images of states in time, leading (B, T); step by step, to save memory."""
    return tf.map_fn(model.frame, tf.nest.map_structure(by_time, states), fn_output_signature=tf.uint8)
