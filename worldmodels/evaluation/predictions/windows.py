"""Plays and draws windows of experience that no training has seen, to measure a world model on.

One letter per axis: W windows, L steps, of which the first C, the context, are observed.

Converts features to vectors small enough for a linear regression.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
import tensorflow as tf

from worldmodels.acting.collect import Collector
from worldmodels.core.errors import ConfigError, UserError
from worldmodels.core.seeding import Streams
from worldmodels.core.types import Batch, Step
from worldmodels.evaluation.predictions.model_errors import counting
from worldmodels.replay import ReplayReader
from worldmodels.replay.sampling import draw_windows

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


def play_windows(env: Any, actor: Any, windows: int, length: int, seed: int, spread: int = 16) -> Batch:
    """Play, and return W = `windows` windows of L = `length` steps, drawn uniformly; they may cross ends of episodes.

    They are drawn before anything is played, so that only what is kept takes memory.

    Args:
        env: a vector environment in NEXT_STEP mode. It is reset.
        seed: of levels and windows: one that training never used.
        spread: each environment plays this many times the length of a window, so that windows lie not only at the
            beginnings of episodes.
    """
    streams = Streams(seed)
    steps = spread * length
    rows, starts = draw_windows(env.num_envs, range(steps), windows, length, streams.generator("windows"))
    batch = _empty_windows(windows, length, env)
    collector = Collector(env, streams.integer("levels"))
    for t, (step, _) in enumerate(collector.steps(actor, steps)):
        _keep(batch, step, rows, starts, t)
    return batch


class ProbedPlay(NamedTuple):
    """Play with what was true of the game: one half of the environments fits probes, the other half tests them."""

    features: np.ndarray
    """float32 (M, F): what the agent saw in every second step of the first half."""
    variables: np.ndarray
    """float32 (M, V): the game's variables at these steps."""
    windows: Batch
    """W windows of L steps of the second half."""
    truth: np.ndarray
    """float32 (W, L, V): the variables at each of their steps."""


def play_probed(env: Any, actor: Any, windows: int, length: int, seed: int, spread: int = 16) -> ProbedPlay:
    """Play as `play_windows` does, in a native vector environment of one game, and read its variables at each step."""
    streams, steps, half = Streams(seed), spread * length, env.num_envs // 2
    rows, starts = draw_windows(env.num_envs - half, range(steps), windows, length, streams.generator("windows"))
    rows = rows + half
    kept = _empty_windows(windows, length, env)
    truth = _empty_truth(windows, length, env)
    features, variables = [], []
    collector = Collector(env, streams.integer("levels"))
    now = env.variables()
    for t, (step, output) in enumerate(collector.steps(actor, steps)):
        _keep(kept, step, rows, starts, t, truth, now)
        if t % 2 == 0:
            features.append(pooled(output.features)[:half])
            variables.append(now[:half])
        now = env.variables()
    return ProbedPlay(np.concatenate(features), np.concatenate(variables), kept, truth)


class ToldPlay(NamedTuple):
    """Play with what was true of the game: single moments of one half of the environments, windows of the other."""

    moments: Batch
    """M windows of one step of the first half."""
    variables: np.ndarray
    """float32 (M, V): the game's variables at these steps."""
    windows: Batch
    """W windows of L steps of the second half."""
    truth: np.ndarray
    """float32 (W, L, V): the variables at each of their steps."""


def play_told(env: Any, actor: Any, moments: int, windows: int, length: int, seed: int, steps: int) -> ToldPlay:
    """Play some steps, at least `length`, in a native vector environment of one game, and read its variables.

    Moments and windows are drawn uniformly, as in `play_windows`. The moments depend on no length or number of windows.
    """
    streams, steps, half = Streams(seed), max(steps, length), env.num_envs // 2
    alone = draw_windows(half, range(steps), moments, 1, streams.generator("moments"))
    rows, starts = draw_windows(env.num_envs - half, range(steps), windows, length, streams.generator("windows"))
    single, variables = _empty_windows(moments, 1, env), _empty_truth(moments, 1, env)
    kept, truth = _empty_windows(windows, length, env), _empty_truth(windows, length, env)
    collector = Collector(env, streams.integer("levels"))
    now = env.variables()
    for t, (step, _) in enumerate(collector.steps(actor, steps)):
        _keep(single, step, *alone, t, variables, now)
        _keep(kept, step, rows + half, starts, t, truth, now)
        now = env.variables()
    return ToldPlay(single, variables[:, 0], kept, truth)


class Moments(NamedTuple):
    """N moments of play, of which each can be returned to."""

    windows: Batch
    """N windows of the last C steps, whose last frames show the moments; no action is chosen there yet."""
    states: list[bytes]
    """The exact states of the N environments."""


def play_moments(env: Any, actor: Any, count: int, context: int, seed: int, gap: int = 32) -> Iterator[Moments]:
    """Play, and stop `count` times, each after `gap` steps and at least C = `context`.

    Whoever takes the moments may do with the environment what he likes: it is put back before play goes on.

    Args:
        env: a vector environment in NEXT_STEP mode that can be saved. It is reset.
        seed: of the levels.
    """
    collector = Collector(env, seed)
    for _ in range(count):
        steps = [step for step, _ in collector.steps(actor, max(gap, context - 1))]
        steps = [*steps[len(steps) - context + 1 :], Step(**collector.arrived, action=np.zeros_like(steps[0].action))]
        states = env.get_state()
        yield Moments(_joined(steps), states)
        env.set_state(states)


def _empty_windows(windows: int, length: int, env: Any) -> Batch:
    flags = [np.zeros((windows, length), kind) for kind in (np.float32, bool, bool, bool)]
    fields = [env.observation_spec.zeros(windows, length), *flags, env.action_spec.zeros(windows, length)]
    return Batch._make(fields)


def _empty_truth(windows: int, length: int, env: Any) -> np.ndarray:
    return np.empty((windows, length, len(env.variable_names)), np.float32)


def _keep(
    batch: Batch,
    step: Step,
    rows: np.ndarray,
    starts: np.ndarray,
    t: int,
    truth: np.ndarray | None = None,
    now: np.ndarray | None = None,
) -> None:
    """Store step t in the windows that hold it, which begin at `starts` of the environments `rows`.

    Args:
        truth: where the variables `now` (N, V) of the environments are stored, too.
    """
    (inside,) = np.nonzero((starts <= t) & (t < starts + batch.action.shape[1]))
    for kept, values in zip(_arrays(batch), _arrays(step.stored()), strict=True):
        kept[inside, t - starts[inside]] = values[rows[inside]]
    if truth is not None and now is not None:
        truth[inside, t - starts[inside]] = now[rows[inside]]


def _joined(steps: list[Step]) -> Batch:
    """Return N windows of C successive steps of N environments."""
    observations, *others = zip(*(step.stored() for step in steps), strict=True)
    observation: Any
    if isinstance(observations[0], dict):
        observation = {name: np.stack([one[name] for one in observations], 1) for name in observations[0]}
    else:
        observation = np.stack(observations, 1)
    return Batch._make([observation, *(np.stack(values, 1) for values in others)])


def _arrays(batch: Batch) -> list[np.ndarray]:
    """Return all arrays of a batch, those of a dictionary by name."""
    observation, *others = batch
    parts = [observation[name] for name in sorted(observation)] if isinstance(observation, dict) else [observation]
    return [*parts, *others]


def held_out_windows(replay: ReplayReader, windows: int, length: int, seed: int) -> Batch | None:
    """Return W = `windows` windows of L = `length` steps from the episodes that a run keeps out of training.

    None while no such episode is that long.
    """
    try:
        return replay.sample(windows, length, Streams(seed).generator("windows"), split="held_out")
    except UserError:
        return None


def check_horizon(windows: Batch, context: int) -> None:
    """Check that some window stays inside one episode up to its end.

    Raises:
        ConfigError: no window does.
    """
    counts = counting(windows.is_last, context)
    if counts[:, -1].any():
        return
    longest = int(counts.sum(1).max())
    raise ConfigError(
        f"evaluation.horizon is {counts.shape[1]}, and none of {len(counts)} recorded windows stays inside one episode "
        f"for so long. The longest stays for {longest} steps after the {context} observed ones. "
        + (f"Choose a horizon of at most {longest}." if longest else "Choose a smaller context.")
    )
