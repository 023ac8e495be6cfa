"""Single steps for an agent, drawn from the replay store and seen through the representation.

Batches of a training loop: a thread draws the next batch during an update.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any, Generic, TypeVar

import numpy as np
import tensorflow as tf

from worldmodels.agents.api import Transitions
from worldmodels.core.seeding import generator_state, restore_generator
from worldmodels.core.types import Batch
from worldmodels.models.api import ModelSpec, Representation
from worldmodels.replay import Replay, previous_actions

MEMORY = 64 * 2**20
"""Bytes of observations that are drawn for one call of the agent, at most, unless a single batch takes more."""


def updates_per_call(updates: int, batch: int, spec: ModelSpec) -> int:
    """Return how many of a burst of updates are done in one call: a divisor, the greatest for which memory suffices."""
    row = spec.observation.bytes * (spec.frames_before + 2)
    fitting = [count for count in range(1, updates + 1) if updates % count == 0 and count * batch * row <= MEMORY]
    return max(fitting, default=1)


def blank_transitions(updates: int, batch: int, spec: ModelSpec) -> Transitions:
    """Return batches of zeros, as many as updates, to measure with."""
    features = tf.nest.map_structure(tf.constant, spec.features.zeros(updates, batch))
    zeros = tf.zeros((updates, batch))
    return Transitions(features, tf.constant(spec.action.zeros(updates, batch)), zeros, zeros, features)


class TransitionSampler:
    """Draws K batches of B single steps, uniformly, from all that are not held out."""

    def __init__(self, model: Representation, replay: Replay, updates: int, batch: int):
        self._model, self._replay, self._shape = model, replay, (updates, batch)
        self._before = model.spec.frames_before
        self._see = tf.function(self._transitions, autograph=False)

    def draw(self, generator: np.random.Generator, seed: np.ndarray) -> Transitions:
        """Draw the steps with a generator; the seed, int32 (2,), is that of the representation."""
        windows = self._replay.sample_transitions(self._shape[0] * self._shape[1], generator, "training", self._before)
        is_first = windows.is_first.copy()
        is_first[:, 0] = True  # nothing is known of what was before
        tensors: Batch = tf.nest.map_structure(tf.constant, windows._replace(is_first=is_first))
        return self._see(tensors, tf.constant(previous_actions(windows)), tf.constant(seed))

    def _transitions(self, windows: Batch, previous: tf.Tensor, seed: tf.Tensor) -> Transitions:
        model, before = self._model, self._before
        rows = windows.reward.shape[0]
        state, features = model.initial(rows), []
        for t in range(before + 2):
            now = tf.nest.map_structure(lambda x, t=t: x[:, t], windows.observation)
            state = model.observe(state, now, previous[:, t], windows.is_first[:, t], seed)
            if t >= before:
                features.append(model.features(state))
        continuations = 1.0 - tf.cast(windows.is_terminal[:, -1], tf.float32)
        steps = Transitions(features[0], windows.action[:, -2], windows.reward[:, -1], continuations, features[1])
        return tf.nest.map_structure(self._in_batches, steps)

    def _in_batches(self, x: tf.Tensor) -> tf.Tensor:
        return tf.reshape(x, (*self._shape, *x.shape[1:]))


Drawn = TypeVar("Drawn")


class Batches(Generic[Drawn]):
    """Draws batches one after the other, in the order of one random generator.

    Drawing ahead gives the same batches, as long as nothing is added to the store in between: the caller says so. A
    batch that is waiting is no part of what is saved; it is drawn again.
    """

    def __init__(self, draw: Callable[[np.random.Generator], Drawn], generator: np.random.Generator):
        self._draw, self._generator = draw, generator
        self._worker = ThreadPoolExecutor(1, "batches")
        self._waiting: Future[Drawn] | None = None
        self._before_waiting: dict[str, Any] = {}

    def take(self, another: bool) -> Drawn:
        """Return the next batch, and begin to draw the one after it if `another` will be taken from the same store.

        Raises what drawing raises: of a batch that was drawn ahead, when it is taken.
        """
        waiting, self._waiting = self._waiting, None
        batch = waiting.result() if waiting else self._draw(self._generator)
        if another:
            self._before_waiting = generator_state(self._generator)
            self._waiting = self._worker.submit(self._draw, self._generator)
        return batch

    def save(self) -> dict[str, Any]:
        """Return the state of the generator at which the next batch is drawn."""
        if self._waiting is None:
            return generator_state(self._generator)
        self._waiting.exception()  # nobody may read the store while it is saved
        return self._before_waiting

    def load(self, state: dict[str, Any]) -> None:
        """Take over what `save` gave."""
        self._waiting = None
        self._generator = restore_generator(state)
