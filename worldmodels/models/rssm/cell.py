"""The dynamics: how a state moves with an action, and how an observation corrects it."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import keras
import numpy as np
import tensorflow as tf

from worldmodels.models.layers import MLP, Dense, GRUCell, Layer
from worldmodels.models.rssm.config import RSSMConfig
from worldmodels.models.rssm.latents import build_latents


class RSSMState(NamedTuple):
    """What the model knows of B worlds."""

    recurrent: tf.Tensor
    """float32 (B, recurrent): the GRU's state, all that was seen."""
    latent: tf.Tensor
    """float32 (B, latents * classes): one draw of what is uncertain about this moment."""


class Dynamics(Layer):
    """The recurrent state-space model of DreamerV2 (Hafner et al. 2021).

    transition: latent, action -> dense -> GRU; prior: recurrent -> latent; posterior: recurrent, embedding -> latent.
    """

    def __init__(self, config: RSSMConfig, embedding: int, num_actions: int, seeds: np.random.Generator):
        super().__init__(name="dynamics")
        self.latents = build_latents(config)
        self.num_actions = num_actions
        statistics = self.latents.statistics_size
        with keras.name_scope("dynamics"):
            self.enter = Dense(self.latents.size + num_actions, config.hidden, seeds, "enter")
            self.gru = GRUCell(config.hidden, config.recurrent, seeds, "gru")
            self.prior = MLP((config.recurrent, config.hidden, statistics), seeds, "prior")
            self.look = Dense(config.recurrent + embedding, config.hidden, seeds, "look")
            self.posterior = Dense(config.hidden, statistics, seeds, "posterior")

    def initial(self, batch: int | tf.Tensor) -> RSSMState:
        """All zeros."""
        return RSSMState(tf.zeros((batch, self.gru.units)), tf.zeros((batch, self.latents.size)))

    def imagine(
        self, state: RSSMState, action: tf.Tensor, noise: tf.Tensor, temperature: float | tf.Tensor
    ) -> RSSMState:
        """One step by the prior: action int32 (B,), noise of `latents.noise((B,))`."""
        one_hot = tf.one_hot(action, self.num_actions)
        entered = self.enter(tf.concat([state.latent, one_hot], -1))
        recurrent = self.gru(tf.nn.elu(entered), state.recurrent)
        return RSSMState(recurrent, self.latents.sample(self.prior(recurrent), noise, temperature))

    def follow(
        self,
        state: RSSMState,
        embeddings: tf.Tensor,
        previous_actions: tf.Tensor,
        is_first: tf.Tensor,
        noise: tf.Tensor,
    ) -> tuple[RSSMState, tf.Tensor]:
        """T steps by the posterior, in a loop that holds the recurrence and nothing else.

        The shares of the embedding and of the action are projected before the loop, and the prior is left to the
        caller, after it: each as one large product.

        Args:
            state: before the first step, B rows.
            embeddings: float32 (B, T, embedding).
            previous_actions: int32 (B, T), each without influence where `is_first`.
            is_first: bool (B, T).
            noise: of `latents.noise((T, B))`.

        Returns:
            States (B, T, ...), and the posterior's statistics (B, T, statistics_size).
        """
        from_latent, from_action = self._rows(self.enter, self.latents.size)
        from_recurrent, from_embedding = self._rows(self.look, self.gru.units)
        keep = 1.0 - tf.cast(is_first, tf.float32)[..., None]
        acted = _project(keep * tf.one_hot(previous_actions, self.num_actions), from_action, self.enter.bias)
        seen = _project(embeddings, from_embedding, self.look.bias)

        def step(recurrent, latent, acted, seen, keep, noise):
            entered = acted + tf.matmul(latent * keep, from_latent)
            recurrent = self.gru(tf.nn.elu(entered), recurrent * keep)
            statistics = self.posterior(tf.nn.elu(seen + tf.matmul(recurrent, from_recurrent)))
            return recurrent, self.latents.sample(statistics, noise), statistics

        # Time first, for the loop, only now: these are far smaller than what they were projected from.
        out = scan(step, tuple(state), (_swap(acted), _swap(seen), _swap(keep), noise))
        recurrent, latent, statistics = map(_swap, out)
        return RSSMState(recurrent, latent), statistics

    @staticmethod
    def _rows(dense: Dense, first: int) -> list[tf.Tensor]:
        """The rows of a kernel that belong to the first inputs, and the others."""
        kernel = tf.convert_to_tensor(dense.kernel)
        return tf.split(kernel, [first, kernel.shape[0] - first])


def _project(x: tf.Tensor, kernel: tf.Tensor, bias: tf.Tensor) -> tf.Tensor:
    """(B, T, inputs) to (B, T, units), as one product."""
    batch, steps, inputs = x.shape
    rows = tf.nn.bias_add(tf.matmul(tf.reshape(x, (-1, inputs)), kernel), bias)
    return tf.reshape(rows, (-1 if batch is None else batch, steps, kernel.shape[1]))


def _swap(x: tf.Tensor) -> tf.Tensor:
    """Exchange the first two axes: (B, T, ...) and (T, B, ...)."""
    return tf.transpose(x, [1, 0, *range(2, x.shape.rank)])


def scan(step: Callable[..., tuple], state: tuple, inputs: tuple) -> tuple:
    """Call `step(*state, *inputs[t])` for each t; stacks all that it returns, of which the first become the state.

    A `tf.while_loop` of static length: as fast as an unrolled graph, and traced in a fraction of the time.
    """
    steps = inputs[0].shape[0]
    read = [tf.TensorArray(x.dtype, steps, element_shape=x.shape[1:]).unstack(x) for x in inputs]
    first = step(*state, *(array.read(0) for array in read))
    write = [tf.TensorArray(x.dtype, steps, element_shape=x.shape).write(0, x) for x in first]

    def body(t, state, write):
        out = step(*state, *(array.read(t) for array in read))
        return t + 1, out[: len(state)], [array.write(t, x) for array, x in zip(write, out, strict=True)]

    loop = (tf.constant(1), first[: len(state)], write)
    _, _, write = tf.while_loop(lambda t, *_: t < steps, body, loop, maximum_iterations=steps - 1)
    return tuple(array.stack() for array in write)
