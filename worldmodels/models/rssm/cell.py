"""The dynamics move a state with an action, and correct it by an observation."""

from __future__ import annotations

from typing import NamedTuple

import keras
import numpy as np
import tensorflow as tf

from worldmodels.core.specs import ActionSpec
from worldmodels.models.networks.actions import action_vectors
from worldmodels.models.networks.layers import MLP, Activation, Dense, Layer
from worldmodels.models.networks.scan import LoopProduct, scan, swap_rows_and_time
from worldmodels.models.rssm.config import RSSMConfig
from worldmodels.models.rssm.latents import build_latents
from worldmodels.models.rssm.recurrence import build_recurrence, everywhere, project, rows_of


class RSSMState(NamedTuple):
    """The state of the model in B environments."""

    recurrent: tf.Tensor
    """float32 (B, recurrent): the GRU's state, the memory of all observations."""
    latent: tf.Tensor
    """float32 (B, latents * classes): one sample of the latent of this step."""


class Dynamics(Layer):
    """The recurrent state-space model of DreamerV2 (Hafner et al. 2021).

    transition: latent, action -> recurrence; prior: recurrent -> latent; posterior: recurrent, embedding -> latent.
    """

    def __init__(self, config: RSSMConfig, embedding: int, action: ActionSpec, seeds: np.random.Generator):
        super().__init__(name="dynamics")
        self.latents = build_latents(config)
        self.action = action
        statistics = self.latents.statistics_size
        with keras.name_scope("dynamics"):
            self.recurrence = build_recurrence(config, self.latents.size, action.width, seeds)
            self.prior = MLP((config.recurrent, config.hidden, statistics), seeds, "prior", style=config.style)
            self.posterior_input = Dense(config.recurrent + embedding, config.hidden, seeds, "posterior_input")
            self.after_posterior_input = Activation(config.hidden, config.style, "after_posterior_input")
            self.posterior = Dense(config.hidden, statistics, seeds, "posterior")

    def initial(self, batch: int | tf.Tensor) -> RSSMState:
        """Return a state of zeros."""
        return RSSMState(tf.zeros((batch, self.recurrence.units)), tf.zeros((batch, self.latents.size)))

    def imagine(
        self, state: RSSMState, action: tf.Tensor, noise: tf.Tensor, temperature: float | tf.Tensor
    ) -> RSSMState:
        """Do one step by the prior: actions as in `action_vectors`, noise of `latents.noise((B,))`."""
        recurrent = self.recurrence(state.latent, action_vectors(action, self.action), state.recurrent)
        return RSSMState(recurrent, self.latents.sample(self.prior(recurrent), noise, temperature))

    def follow(
        self,
        state: RSSMState,
        embeddings: tf.Tensor,
        previous_actions: tf.Tensor,
        is_first: tf.Tensor,
        noise: tf.Tensor,
    ) -> tuple[RSSMState, tf.Tensor]:
        """Return the states of T steps, from a loop that holds nothing but the recurrence.

        The shares of the embedding and of the action are projected before the loop, each as one large product. The
        prior is left to the caller.

        Args:
            state: before the first step, B rows.
            embeddings: float32 (B, T, embedding).
            previous_actions: leading (B, T), as in `action_vectors`, each without influence where `is_first`.
            is_first: bool (B, T).
            noise: of `latents.noise((T, B))`.

        Returns:
            States (B, T, ...), and the posterior's statistics (B, T, statistics_size).
        """
        from_recurrent, from_embedding = rows_of(self.posterior_input, self.recurrence.units)
        keep = 1.0 - tf.cast(is_first, tf.float32)[..., None]
        recurrence = self.recurrence.loop(keep * action_vectors(previous_actions, self.action))
        seen = project(embeddings, from_embedding, self.posterior_input.bias, self.precision)
        # Time first, for the loop, only now: these are far smaller than what they were projected from.
        seen, keep = swap_rows_and_time(seen), swap_rows_and_time(keep)
        posterior_input = LoopProduct(from_recurrent, seen, self.precision)
        posterior = LoopProduct(self.posterior.kernel, everywhere(self.posterior.bias, keep), self.precision)

        def step(recurrent, latent, keep, noise, posterior_input_term, posterior_term, *recurrence_inputs):
            latent, recurrent = latent * keep, recurrent * keep
            new, entered = recurrence.step(latent, recurrent, *recurrence_inputs)
            hidden = self.after_posterior_input(posterior_input(new, posterior_input_term))
            statistics = posterior(hidden, posterior_term)
            return new, self.latents.sample(statistics, noise), statistics, hidden, *entered

        inputs = (keep, noise, posterior_input.terms, posterior.terms, *recurrence.inputs)
        recurrent, latent, statistics, hidden, *entered = scan(step, tuple(state), inputs)
        products = (posterior_input, posterior, *recurrence.products)
        for product, given in zip(products, (recurrent, hidden, *entered), strict=True):
            product.collect(given)
        return RSSMState(swap_rows_and_time(recurrent), swap_rows_and_time(latent)), swap_rows_and_time(statistics)
