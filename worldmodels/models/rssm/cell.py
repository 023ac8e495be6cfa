"""The dynamics: how a state moves with an action, and how an observation corrects it."""

from __future__ import annotations

from typing import NamedTuple

import keras
import numpy as np
import tensorflow as tf

from worldmodels.models import precision
from worldmodels.models.layers import MLP, Activation, Dense, GRUCell, Layer
from worldmodels.models.rssm.config import RSSMConfig
from worldmodels.models.rssm.latents import build_latents
from worldmodels.models.scan import LoopProduct, scan


class RSSMState(NamedTuple):
    """The state of the model in B environments."""

    recurrent: tf.Tensor
    """float32 (B, recurrent): the GRU's state, all that was seen."""
    latent: tf.Tensor
    """float32 (B, latents * classes): one sample of what is uncertain at this step."""


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
            self.recurrence_input = Dense(self.latents.size + num_actions, config.hidden, seeds, "recurrence_input")
            self.gru = GRUCell(config.hidden, config.recurrent, seeds, "gru")
            self.after_recurrence_input = Activation(config.hidden, config.style, "after_recurrence_input")
            self.prior = MLP((config.recurrent, config.hidden, statistics), seeds, "prior", style=config.style)
            self.posterior_input = Dense(config.recurrent + embedding, config.hidden, seeds, "posterior_input")
            self.after_posterior_input = Activation(config.hidden, config.style, "after_posterior_input")
            self.posterior = Dense(config.hidden, statistics, seeds, "posterior")

    def initial(self, batch: int | tf.Tensor) -> RSSMState:
        """Return a state of zeros."""
        return RSSMState(tf.zeros((batch, self.gru.units)), tf.zeros((batch, self.latents.size)))

    def imagine(
        self, state: RSSMState, action: tf.Tensor, noise: tf.Tensor, temperature: float | tf.Tensor
    ) -> RSSMState:
        """Do one step by the prior: action int32 (B,), noise of `latents.noise((B,))`."""
        one_hot = tf.one_hot(action, self.num_actions)
        entered = self.recurrence_input(tf.concat([state.latent, one_hot], -1))
        recurrent = self.gru(self.after_recurrence_input(entered), state.recurrent)
        return RSSMState(recurrent, self.latents.sample(self.prior(recurrent), noise, temperature))

    def follow(
        self,
        state: RSSMState,
        embeddings: tf.Tensor,
        previous_actions: tf.Tensor,
        is_first: tf.Tensor,
        noise: tf.Tensor,
    ) -> tuple[RSSMState, tf.Tensor]:
        """Return the posterior states of T steps, from a loop that holds the recurrence and nothing else.

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
        from_latent, from_action = self._rows(self.recurrence_input, self.latents.size)
        from_recurrent, from_embedding = self._rows(self.posterior_input, self.gru.units)
        keep = 1.0 - tf.cast(is_first, tf.float32)[..., None]
        acted = self._project(
            keep * tf.one_hot(previous_actions, self.num_actions), from_action, self.recurrence_input.bias
        )
        seen = self._project(embeddings, from_embedding, self.posterior_input.bias)
        # Time first, for the loop, only now: these are far smaller than what they were projected from.
        acted, seen, keep = _swap(acted), _swap(seen), _swap(keep)
        recurrence_input = LoopProduct(from_latent, acted, self.precision)
        gates = LoopProduct(self.gru.kernel, self._everywhere(self.gru.bias, keep), self.precision)
        posterior_input = LoopProduct(from_recurrent, seen, self.precision)
        posterior = LoopProduct(self.posterior.kernel, self._everywhere(self.posterior.bias, keep), self.precision)

        def step(recurrent, latent, keep, noise, recurrence_term, gates_term, posterior_input_term, posterior_term):
            latent, recurrent = latent * keep, recurrent * keep
            moved = self.after_recurrence_input(recurrence_input(latent, recurrence_term))
            entered = tf.concat([moved, recurrent], -1)
            new = self.gru.advance(gates(entered, gates_term), recurrent)
            hidden = self.after_posterior_input(posterior_input(new, posterior_input_term))
            statistics = posterior(hidden, posterior_term)
            return new, self.latents.sample(statistics, noise), statistics, latent, entered, hidden

        products = (recurrence_input, gates, posterior_input, posterior)
        out = scan(step, tuple(state), (keep, noise, *(product.terms for product in products)))
        recurrent, latent, statistics, latent_input, entered, hidden = out
        for product, inputs in zip(products, (latent_input, entered, recurrent, hidden), strict=True):
            product.collect(inputs)
        return RSSMState(_swap(recurrent), _swap(latent)), _swap(statistics)

    @staticmethod
    def _everywhere(bias: tf.Tensor, like: tf.Tensor) -> tf.Tensor:
        """Return a bias (units,) at every step and row of (T, B, 1)."""
        return tf.zeros_like(like) + bias

    @staticmethod
    def _rows(dense: Dense, first: int) -> list[tf.Tensor]:
        """Return the rows of a kernel that belong to the first inputs, and the others."""
        kernel = tf.convert_to_tensor(dense.kernel)
        return tf.split(kernel, [first, kernel.shape[0] - first])

    def _project(self, x: tf.Tensor, kernel: tf.Tensor, bias: tf.Tensor) -> tf.Tensor:
        """Project (B, T, inputs) to float32 (B, T, units), as one product."""
        batch, steps, inputs = x.shape
        rows = precision.matmul(tf.reshape(x, (-1, inputs)), kernel, self.precision)
        rows = tf.nn.bias_add(precision.full(rows), bias)
        return tf.reshape(rows, (-1 if batch is None else batch, steps, kernel.shape[1]))


def _swap(x: tf.Tensor) -> tf.Tensor:
    """Exchange the first two axes: (B, T, ...) and (T, B, ...)."""
    return tf.transpose(x, [1, 0, *range(2, x.shape.rank)])
