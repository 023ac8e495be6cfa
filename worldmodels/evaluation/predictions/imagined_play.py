"""Plays a policy inside the model, and compares it with the same policy in the real world, from the same starts.

Each start is a step of real play that training never saw. What really followed is known, because the policy itself
played on; the model, having observed the frames before, predicts what would follow.

One letter per axis: W starts, C steps that are observed (the context), H steps in the model.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
import tensorflow as tf

from worldmodels.acting.actor import where_not
from worldmodels.agents.api import Agent
from worldmodels.analysis.statistics.bootstrap import Estimate, estimate
from worldmodels.core.types import Batch, State
from worldmodels.evaluation.predictions.model_errors import Curve, counting, mean_curve
from worldmodels.imagination.model_view import (
    ModelView,
    Observations,
    Prediction,
    newest_images,
    states_at,
)
from worldmodels.imagination.rollout import RolloutOptions, unroll
from worldmodels.imagination.row_groups import in_row_groups
from worldmodels.models import draws
from worldmodels.models.api import WorldModel
from worldmodels.models.networks.scan import swap_rows_and_time


class ImaginedPlayer:
    """A policy acts in a model after both have observed recorded frames, in one graph.

    Args:
        context: steps C that both observe.
        horizon: steps H that the policy then takes in the model.
    """

    def __init__(self, model: WorldModel, agent: Agent, context: int, horizon: int) -> None:
        self._view, self._agent, self._context, self._horizon = ModelView(model), agent, context, horizon
        self._features = model.features
        self._compiled = tf.function(self._observe_and_play, autograph=False)

    def play(
        self, windows: Batch, key: np.ndarray, temperature: float, model_temperature: float, frames: bool = True
    ) -> Prediction:
        """Return what the model predicts while the policy acts in it, after the first C steps of W windows.

        Args:
            key: int32 (2,), of all samples.
            temperature: of the policy's sampling.
            model_temperature: of the model's.
            frames: whether to predict images, which cost most.

        Returns:
            NumPy arrays, leading (W, H).
        """
        scales = [tf.constant(value, tf.float32) for value in (temperature, model_temperature)]
        context = Observations.of(windows.map(lambda values: values[:, : self._context]))
        played: Prediction = in_row_groups(lambda rows, seed: self._compiled(rows, *scales, seed, frames), context, key)
        return played

    def _observe_and_play(
        self, rows: Observations, temperature: Any, model_temperature: Any, seed: Any, frames: bool
    ) -> Prediction:
        observe_seed, memory_seed, play_seed = tf.unstack(draws.split(seed, 3))

        def policy(features: tf.Tensor, memory: State, seed: tf.Tensor) -> tuple[tf.Tensor, State, dict[str, Any]]:
            action, memory, _ = self._agent.act(features, memory, temperature, seed)
            return action, memory, {}

        states = self._view.observe(rows, observe_seed)
        memory = self._memory(policy, states, rows.is_first, memory_seed)
        options = RolloutOptions(self._horizon, model_temperature)
        before = newest_images(rows, self._view.spec)
        played = self._view.continue_with_policy(
            states_at(states, -1), policy, memory, options, play_seed, before, frames
        )
        return tf.nest.map_structure(swap_rows_and_time, played)

    def _memory(self, policy: Any, states: State, is_first: tf.Tensor, seed: tf.Tensor) -> State:
        """Return the policy's memory of the context but its last frame, at which it acts."""

        def forget(memory: State, begins: tf.Tensor) -> State:
            return tf.nest.map_structure(lambda x: where_not(begins, x), memory)

        def step(memory: State, inputs: Any) -> tuple[State, tuple[()]]:
            state, begins, seed = inputs
            return policy(self._features(state), forget(memory, begins), seed)[1], ()

        before, memory = self._context - 1, self._agent.initial(is_first.shape[0])
        if before and tf.nest.flatten(memory):
            inputs = (*tf.nest.map_structure(swap_rows_and_time, (states, is_first)), draws.split(seed, before))
            memory = unroll(step, memory, inputs, before)[0]
        return forget(memory, is_first[:, -1])


class ImaginedPlay(NamedTuple):
    """A policy in the model is compared with reality, over W starts and the horizons 1, 2, ..., H.

    In the model nothing ends for certain: a reward counts by the probability that the episode got there. So both
    sides are expected values, the model's own and an estimate of the true one.
    """

    imagined_return: Curve
    """The sum of the model's rewards up to each step."""
    real_return: Curve
    """The sum of the real rewards up to each step."""
    imagined_alive: Curve
    """The model's probability that the episode still goes on after each step."""
    real_alive: Curve
    """The share of episodes that really still went on after each step."""
    difference: Estimate
    """The imagined less the real return over the whole horizon, start by start."""
    correlation: float
    """The correlation of imagined and real returns over the starts: whether the model ranks starts as reality does.
    NaN where one of them is always the same."""


def usable_starts(windows: Batch, context: int) -> np.ndarray:
    """Return which starts are not the end of an episode and are followed by no time limit, bool (W,).

    What would have come after a time limit is unknown, and no model predicts one.

    Args:
        windows: of C + H steps, C being `context`.
    """
    counts = counting(windows.is_last, context)
    cut = windows.is_last[:, context:] & ~windows.is_terminal[:, context:] & counts
    usable: np.ndarray = counts[:, 0] & ~cut.any(axis=1)
    return usable


def compare_play(played: Prediction, windows: Batch, context: int) -> ImaginedPlay:
    """Return the comparison of play in the model with real play, in windows of C + H steps that are all usable.

    Args:
        played: NumPy arrays, leading (W, H).
    """
    imagined, real = returns_of_starts(played, windows, context)
    counts = counting(windows.is_last, context)
    real_alive = counts & ~windows.is_terminal[:, context:]
    alive = np.cumprod(played.continuation, axis=1, dtype=np.float64)
    every = np.ones_like(counts)
    return ImaginedPlay(
        mean_curve(imagined, every),
        mean_curve(real, every),
        mean_curve(alive, every),
        mean_curve(real_alive.astype(np.float64), every),
        estimate(imagined[:, -1] - real[:, -1]),
        _correlation(imagined[:, -1], real[:, -1]),
    )


def returns_of_starts(played: Prediction, windows: Batch, context: int) -> tuple[np.ndarray, np.ndarray]:
    """Return the imagined and the real return of each start up to each step, float64 (W, H); see `compare_play`."""
    counts = counting(windows.is_last, context)
    real = np.cumsum(np.where(counts, windows.reward[:, context:], 0), axis=1, dtype=np.float64)
    alive = np.cumprod(played.continuation, axis=1, dtype=np.float64)
    before = np.concatenate([np.ones_like(alive[:, :1]), alive[:, :-1]], axis=1)
    return np.cumsum(before * played.reward, axis=1, dtype=np.float64), real


def _correlation(a: np.ndarray, b: np.ndarray) -> float:
    if len(a) < 2 or not (a.std() > 0 and b.std() > 0):
        return math.nan
    return float(np.corrcoef(a, b)[0, 1])
