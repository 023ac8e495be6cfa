"""The dynamics move a state with an action, correct it by an observation, and run over windows of steps."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import keras
import numpy as np
import tensorflow as tf

from worldmodels.core.specs import ActionSpec
from worldmodels.models import precision
from worldmodels.models.networks.layers import (
    MLP,
    Activation,
    BlockDense,
    Dense,
    GRUCell,
    Layer,
    action_vectors,
    gated_update,
)
from worldmodels.models.networks.scan import BlockLoopProduct, LoopProduct, scan, swap_rows_and_time
from worldmodels.models.rssm.config import RSSMConfig
from worldmodels.models.rssm.latents import build_latents


class RecurrenceLoop(NamedTuple):
    """The recurrence in a scan over T steps, without the products that are computed for all steps at once."""

    inputs: tuple[tf.Tensor, ...]
    """Inputs of the scan, leading (T, B)."""
    step: Callable[..., tuple[tf.Tensor, tuple[tf.Tensor, ...]]]
    """Latent (B, latent), recurrent state (B, units) and the inputs of a step give the new recurrent state, and the
    input of each product."""
    products: tuple[LoopProduct, ...]


class Recurrence(Layer):
    """DreamerV2's: latent, action -> dense -> GRU."""

    def __init__(self, config: RSSMConfig, latent: int, action: int, seeds: np.random.Generator):
        super().__init__(name="recurrence")
        self._latent, self.units = latent, config.recurrent
        self.recurrence_input = Dense(latent + action, config.hidden, seeds, "recurrence_input")
        self.gru = GRUCell(config.hidden, config.recurrent, seeds, "gru")
        self.after_recurrence_input = Activation(config.hidden, config.style, "after_recurrence_input")

    def call(self, latent: tf.Tensor, action: tf.Tensor, recurrent: tf.Tensor) -> tf.Tensor:
        """Return the new recurrent state (B, units); the action is a vector (B, action)."""
        entered = self.recurrence_input(tf.concat([latent, action], -1))
        return self.gru(self.after_recurrence_input(entered), recurrent)

    def loop(self, actions: tf.Tensor) -> RecurrenceLoop:
        """Prepare a scan, given actions as vectors (B, T, action), zeros where there is none."""
        from_latent, from_action = rows_of(self.recurrence_input, self._latent)
        acted = swap_rows_and_time(project(actions, from_action, self.recurrence_input.bias, self.precision))
        recurrence_input = LoopProduct(from_latent, acted, self.precision)
        gates = LoopProduct(self.gru.kernel, everywhere(self.gru.bias, acted), self.precision)

        def step(latent, recurrent, recurrence_term, gates_term):
            moved = self.after_recurrence_input(recurrence_input(latent, recurrence_term))
            entered = tf.concat([moved, recurrent], -1)
            return self.gru.advance(gates(entered, gates_term), recurrent), (latent, entered)

        products = (recurrence_input, gates)
        return RecurrenceLoop(tuple(product.terms for product in products), step, products)


class BlockRecurrence(Layer):
    """DreamerV3's, for a large memory: each block reads latent, action and memory through one narrow layer each, and
    its own memory in full. So weights grow with the memory, not with its square.

    recurrent, latent, action -> a dense layer each -> to every block, beside its own memory -> dense -> gates.
    """

    def __init__(self, config: RSSMConfig, latent: int, action: int, seeds: np.random.Generator):
        super().__init__(name="recurrence")
        self.units, self._blocks = config.recurrent, config.blocks
        sizes = {"from_recurrent": config.recurrent, "from_latent": latent, "from_action": action}
        self.entries = [Dense(size, config.hidden, seeds, name) for name, size in sizes.items()]
        self.after_entries = [Activation(config.hidden, config.style, f"after_{name}") for name in sizes]
        inputs = 3 * config.hidden * config.blocks + config.recurrent
        self.hidden = BlockDense(inputs, config.recurrent, config.blocks, seeds, "hidden")
        self.after_hidden = Activation(config.recurrent, config.style, "after_hidden")
        self.gates = BlockDense(config.recurrent, 3 * config.recurrent, config.blocks, seeds, "gates")

    def call(self, latent: tf.Tensor, action: tf.Tensor, recurrent: tf.Tensor) -> tf.Tensor:
        """Return the new recurrent state (B, units); the action is a vector (B, action)."""
        each = zip(self.entries, self.after_entries, (recurrent, latent, action), strict=True)
        entered = [precision.full(after(entry(x))) for entry, after, x in each]
        hidden = self.after_hidden(self.hidden(self._beside_blocks(entered, recurrent)))
        return self._advance(precision.full(self.gates(hidden)), recurrent)

    def loop(self, actions: tf.Tensor) -> RecurrenceLoop:
        """Prepare a scan, given actions as vectors (B, T, action), zeros where there is none."""
        in_recurrent, in_latent, in_action = self.entries
        after_recurrent, after_latent, after_action = self.after_entries
        acted = swap_rows_and_time(after_action(project(actions, in_action.kernel, in_action.bias, self.precision)))
        products = (
            LoopProduct(in_recurrent.kernel, everywhere(in_recurrent.bias, acted), self.precision),
            LoopProduct(in_latent.kernel, everywhere(in_latent.bias, acted), self.precision),
            BlockLoopProduct(self.hidden.kernel, everywhere(self.hidden.bias, acted), self.precision),
            BlockLoopProduct(self.gates.kernel, everywhere(self.gates.bias, acted), self.precision),
        )
        remember, know, think, gate = products

        def step(latent, recurrent, acted, recurrent_term, latent_term, hidden_term, gates_term):
            entered = [
                after_recurrent(remember(recurrent, recurrent_term)),
                after_latent(know(latent, latent_term)),
                acted,
            ]
            beside = self._beside_blocks(entered, recurrent)
            hidden = self.after_hidden(think(beside, hidden_term))
            return self._advance(gate(hidden, gates_term), recurrent), (recurrent, latent, beside, hidden)

        return RecurrenceLoop((acted, *(product.terms for product in products)), step, products)

    def _beside_blocks(self, entered: list[tf.Tensor], recurrent: tf.Tensor) -> tf.Tensor:
        """Return the inputs of the blocks, one block after the other: all that has entered, and their own memory."""
        shared = tf.repeat(tf.concat(entered, -1)[:, None], self._blocks, 1)
        own = tf.reshape(recurrent, (-1, self._blocks, self.units // self._blocks))
        return tf.reshape(tf.concat([shared, own], -1), (-1, self.hidden.inputs))

    def _advance(self, gates: tf.Tensor, recurrent: tf.Tensor) -> tf.Tensor:
        by_block = tf.reshape(gates, (-1, self._blocks, 3, self.units // self._blocks))
        reset, candidate, update = (tf.reshape(gate, (-1, self.units)) for gate in tf.unstack(by_block, axis=2))
        return gated_update(reset, candidate, update, recurrent)


def build_recurrence(
    config: RSSMConfig, latent: int, action: int, seeds: np.random.Generator
) -> Recurrence | BlockRecurrence:
    """Return the recurrence for latents of size `latent` and actions of size `action`."""
    kind: Any = BlockRecurrence if config.blocks > 1 else Recurrence
    return kind(config, latent, action, seeds)


def everywhere(bias: tf.Tensor, like: tf.Tensor) -> tf.Tensor:
    """Return a bias (units,) at every step and row of (T, B, ...)."""
    return tf.zeros_like(like[..., :1]) + bias


def rows_of(dense: Dense, first: int) -> list[tf.Tensor]:
    """Return the rows of a kernel that belong to the first inputs, and the others."""
    kernel = tf.convert_to_tensor(dense.kernel)
    return tf.split(kernel, [first, kernel.shape[0] - first])


def project(x: tf.Tensor, kernel: tf.Tensor, bias: tf.Tensor, kind: precision.Precision) -> tf.Tensor:
    """Project (B, T, inputs) to float32 (B, T, units), as one product."""
    batch, steps, inputs = x.shape
    rows = precision.matmul(tf.reshape(x, (-1, inputs)), kernel, kind)
    rows = tf.nn.bias_add(precision.full(rows), bias)
    return tf.reshape(rows, (-1 if batch is None else batch, steps, kernel.shape[1]))


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
