"""A policy inside the model beside the same policy in the real world, from the same starts.

Each start is a moment of real play that training never saw. What really followed is known, because the policy itself
played on; the model, having seen the frames before, says what it believes would follow.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
import tensorflow as tf

from worldmodels.agents.api import Agent
from worldmodels.analysis.aggregate import Estimate, estimate
from worldmodels.core.seeding import fold
from worldmodels.core.types import Batch
from worldmodels.evaluation.prediction import ROWS, by_time, join_groups, last_of, row_groups, seen_of
from worldmodels.evaluation.world_model import Curve, counting, mean_curve
from worldmodels.imagination.rollout import RolloutOptions, rollout, unroll
from worldmodels.models.api import WorldModel
from worldmodels.runtime.actor import where_not


class Dream(NamedTuple):
    """What a policy met in a model after each of W starts."""

    rewards: np.ndarray
    """float32 (W, H)."""
    continuations: np.ndarray
    """float32 (W, H): the probability that the episode goes on after each step."""
    frames: np.ndarray
    """uint8 (W, H, h, w, c)."""


class Dreamer:
    """Lets a policy act in a model, in one graph."""

    def __init__(self, model: WorldModel, agent: Agent, context: int, horizon: int):
        self._model, self._agent, self._context, self._horizon = model, agent, context, horizon
        self._compiled = tf.function(self._look_and_act, autograph=False)

    def dream(self, windows: Batch, key: np.ndarray, temperature: float, model_temperature: float) -> Dream:
        """Acts in the model after both, model and policy, have seen the first `context` steps of W windows.

        Args:
            key: int32 (2,), of all samples.
            temperature: of the policy's sampling.
            model_temperature: of the model's.
        """
        seen = Batch._make(values[:, : self._context] for values in windows)
        heat = [tf.constant(value, tf.float32) for value in (temperature, model_temperature)]
        parts = []
        for rows in row_groups(len(seen.action), ROWS[self._model.spec.feature_kind]):
            inputs = tf.nest.map_structure(tf.constant, seen_of(seen, rows))
            made = self._compiled(*inputs, *heat, tf.constant(fold(key, int(rows[0]))))
            parts.append([array.numpy() for array in made])
        return Dream(*join_groups(parts, len(seen.action)))

    def _look_and_act(self, observations, previous, is_first, temperature, model_temperature, seed) -> Any:
        model, agent = self._model, self._agent
        seeds = tf.random.split(seed, 3)
        seen = model.observe_sequence(observations, previous, is_first, seeds[0])

        def policy(features, memory, seed):
            action, memory, _ = agent.act(features, memory, temperature, seed)
            return action, memory, {}

        def look(memory, inputs):
            state, begins, seed = inputs
            return policy(model.features(state), forget(memory, begins), seed)[1], ()

        def forget(memory, begins):
            return tf.nest.map_structure(lambda x: where_not(begins, x), memory)

        # What the policy remembers of the frames but the last, at which it acts.
        before = self._context - 1
        memory = agent.initial(observations.shape[0])
        if before and tf.nest.flatten(memory):
            times = (tf.nest.map_structure(by_time, seen), by_time(is_first), tf.random.split(seeds[1], before))
            memory = unroll(look, memory, times, before)[0]
        memory = forget(memory, is_first[:, -1])
        how = RolloutOptions(self._horizon, model_temperature)
        made = rollout(model, policy, last_of(seen), memory, how, seeds[2])
        states = tf.nest.map_structure(lambda x: x[1:], made.states)
        frames = tf.map_fn(model.frame, states, fn_output_signature=tf.uint8)  # one by one, for memory's sake
        return [by_time(x) for x in (made.rewards[1:], made.continuations[1:], frames)]


class ImaginedPlay(NamedTuple):
    """A policy in the model beside reality, over W starts and the horizons 1, 2, ..., H.

    In the model nothing ends for certain: a reward counts by the probability that the episode got there. So both
    sides are expected values, the model's own and an estimate of the true one.
    """

    imagined_return: Curve
    """Of the rewards up to each step."""
    real_return: Curve
    imagined_alive: Curve
    """Probability that the episode still goes on after each step."""
    real_alive: Curve
    difference: Estimate
    """Imagined less real return over the whole horizon, start by start."""
    correlation: float
    """Of imagined and real returns over the starts: whether the model knows good starts from bad ones. NaN where one
    of them is always the same."""


def usable_starts(windows: Batch, context: int) -> np.ndarray:
    """bool (W,): the start is not the end of an episode, and no time limit cuts what follows.

    What would have come after a time limit nobody knows, and no model foresees it.
    """
    counts = counting(windows.is_last, context)
    cut = windows.is_last[:, context:] & ~windows.is_terminal[:, context:] & counts
    usable: np.ndarray = counts[:, 0] & ~cut.any(axis=1)
    return usable


def compare_play(dream: Dream, windows: Batch, context: int) -> ImaginedPlay:
    """What the policy met in the model beside what it met really, in windows of C + H steps that are all usable."""
    counts = counting(windows.is_last, context)
    real = np.cumsum(np.where(counts, windows.reward[:, context:], 0), axis=1, dtype=np.float64)
    real_alive = counts & ~windows.is_terminal[:, context:]
    alive = np.cumprod(dream.continuations, axis=1, dtype=np.float64)
    before = np.concatenate([np.ones_like(alive[:, :1]), alive[:, :-1]], axis=1)
    imagined = np.cumsum(before * dream.rewards, axis=1, dtype=np.float64)
    every = np.ones_like(counts)
    return ImaginedPlay(
        mean_curve(imagined, every),
        mean_curve(real, every),
        mean_curve(alive, every),
        mean_curve(real_alive.astype(np.float64), every),
        estimate(imagined[:, -1] - real[:, -1]),
        _correlation(imagined[:, -1], real[:, -1]),
    )


def imagined_metrics(play: ImaginedPlay, suffix: str) -> dict[str, float]:
    """The whole horizon as metrics, `eval/imagined_return_at_15_t1_model1` say."""
    horizon, at_end = len(play.imagined_return.n), {"imagined_correlation": play.correlation}
    sides = {"imagined": (play.imagined_return, play.imagined_alive), "real": (play.real_return, play.real_alive)}
    for side, (returns, alive) in sides.items():
        at_end[f"{side}_return"] = returns.mean[-1]
        at_end[f"{side}_reward"] = reward_per_step(returns, alive)
        at_end[f"{side}_ended"] = 1 - alive.mean[-1]
    return {f"eval/{name}_at_{horizon}{suffix}": float(x) for name, x in at_end.items() if math.isfinite(x)}


def reward_per_step(returns: Curve, alive: Curve) -> float:
    """The mean reward of a step that was lived: every start lives the first one."""
    return float(returns.mean[-1] / (1 + alive.mean[:-1].sum()))


def _correlation(a: np.ndarray, b: np.ndarray) -> float:
    if len(a) < 2 or not (a.std() > 0 and b.std() > 0):
        return math.nan
    return float(np.corrcoef(a, b)[0, 1])
