"""The owner of the states at which imagined rollouts start in a training loop."""

from __future__ import annotations

from typing import Any

import numpy as np
import tensorflow as tf

from worldmodels.agents.api import Replayed
from worldmodels.core.seeding import Streams, fold, generator_state, restore_generator
from worldmodels.core.types import Batch, State
from worldmodels.imagination.replay_starts import ReplayStarts
from worldmodels.imagination.starts import StartStates, choose_starts, states_after
from worldmodels.models.api import WorldModel
from worldmodels.replay import Replay
from worldmodels.runtime.actor import load_nest, save_nest
from worldmodels.runtime.config import StartsConfig


class ImaginationStarts:
    """Draws the start states of each policy update.

    With context, the model takes in windows from the replay store. Without, the states are those that it had along the
    batch to which it was last fitted.

    Attributes:
        replayed: that batch, with its states; None where starts have contexts of their own.
    """

    def __init__(self, model: WorldModel, replay: Replay, config: StartsConfig, streams: Streams) -> None:
        self._model, self._config = model, config
        self._windows = ReplayStarts(replay, config.context, config.newest, config.beginnings)
        self._generator, self._key = streams.generator("starts"), streams.key("starts")
        self.replayed: Replayed | None = None
        self._choose = tf.function(choose_starts, autograph=False)

    def after_fit(self, states: State, batch: Batch, weights: np.ndarray | None = None) -> None:
        """Keep a batch and the states (B, T) that the model had along it, where imagination starts at these.

        Args:
            weights: float32 (B,), how much each window counts; None: all alike.
        """
        if self._config.context:
            return
        self.replayed = tf.nest.map_structure(tf.convert_to_tensor, Replayed.of(states, batch, weights))

    def draw(self, update: int) -> StartStates:
        """Return the start states of a policy update, counted from 0."""
        seed = tf.constant(fold(self._key, update))
        if self.replayed is not None:
            continuations = 1.0 - tf.cast(self.replayed.is_terminal, tf.float32)
            return self._choose(self.replayed.states, continuations, self._config.rollouts, seed)
        windows = self._windows(self._config.rollouts, self._generator)
        return StartStates(states_after(self._model, windows, seed), tf.ones((self._config.rollouts,)))

    def end_turn(self) -> None:
        """Forget the last batch: the model will be fitted anew."""
        self.replayed = None

    def save(self, improving: bool) -> dict[str, Any]:
        """Return the state as a tree; the last batch is in it only while the policy improves."""
        replayed = save_nest(self.replayed) if improving and self.replayed is not None else None
        return {"generator": generator_state(self._generator), "replayed": replayed}

    def load(self, tree: dict[str, Any]) -> None:
        """Take over what `save` gave."""
        self._generator = restore_generator(tree["generator"])
        like = Replayed(self._model.initial(1), *(tf.zeros(()) for _ in Replayed._fields[1:]))
        self.replayed = None if tree["replayed"] is None else load_nest(like, tree["replayed"])
