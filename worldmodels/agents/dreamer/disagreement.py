"""An ensemble of one-step predictors measures by its disagreement where the world model is uncertain.

Each member predicts the latent of the next step by regression. Members begin differently and learn from the same steps,
so they agree where many steps were seen. They agree about noise, too: its mean is the same for all.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import tensorflow as tf

from worldmodels.agents.api import Replayed
from worldmodels.agents.dreamer.config import Plan2ExploreConfig
from worldmodels.agents.off_policy.critics import StackedMLP
from worldmodels.models.api import ModelSpec
from worldmodels.models.networks.actions import action_vectors
from worldmodels.models.optimizers.build import build_optimizer
from worldmodels.models.optimizers.optimizer import Gradients
from worldmodels.models.variables import load_variables, named_variables, save_variables

SMALLEST = 1e-12
"""Variance that is added where there is none: a root has no gradient at 0."""


class Disagreement:
    """The ensemble with its optimizer."""

    def __init__(self, config: Plan2ExploreConfig, spec: ModelSpec, seeds: np.random.Generator):
        features = spec.feature_shape[0]
        self._spec, self._targets = spec, spec.latent or features
        hidden = (config.network.units,) * config.network.layers
        sizes = (features + spec.action.width, *hidden, self._targets)
        self._members = StackedMLP(config.members, sizes, config.explorer.style.activation, seeds, "ensemble")
        self._weights = named_variables([self._members])
        self.optimizer = build_optimizer(self._weights, config.optimizer)

    def predict(self, features: tf.Tensor, actions: tf.Tensor) -> tf.Tensor:
        """Return what each member expects after N steps, float32 (members, N, latent).

        Args:
            features: float32 (N, F).
            actions: leading N, taken there; as in `action_vectors`.
        """
        return self._members(tf.concat([features, action_vectors(actions, self._spec.action)], -1))

    def of(self, features: tf.Tensor, actions: tf.Tensor) -> tf.Tensor:
        """Return the standard deviation over members, averaged over the numbers of the latent: (N,)."""
        variance = tf.math.reduce_variance(self.predict(features, actions), 0)
        return tf.reduce_mean(tf.sqrt(variance + SMALLEST), -1)

    def gradients(self, features: tf.Tensor, replayed: Replayed) -> tuple[Gradients, tf.Tensor]:
        """Return the gradients of the members' loss on recorded steps, and the loss; nothing is changed.

        Args:
            features: float32 (B, T, F), of the states of `replayed`.
        """
        before, after = (tf.reshape(x, (-1, x.shape[-1])) for x in (features[:, :-1], features[:, 1:]))
        actions = replayed.actions[:, :-1]
        actions = tf.reshape(actions, (-1, *actions.shape[2:]))
        # No step leads on from the last state of an episode.
        counts = replayed.weights[:, None] * (1.0 - tf.cast(replayed.is_last[:, :-1], tf.float32))
        with tf.GradientTape() as tape:
            error = self.predict(before, actions) - after[:, : self._targets]
            loss = tf.reduce_mean(tf.reshape(counts, (-1,)) * 0.5 * tf.reduce_sum(tf.square(error), -1))
        return self.optimizer.gradients(tape, loss), loss

    def save(self) -> dict[str, Any]:
        """Return weights and optimizer as a tree."""
        return {"weights": save_variables(self._weights), "optimizer": self.optimizer.save()}

    def load(self, tree: dict[str, Any]) -> None:
        """Take over what `save` gave."""
        load_variables(self._weights, tree["weights"], "the ensemble")
        self.optimizer.load(tree["optimizer"])
