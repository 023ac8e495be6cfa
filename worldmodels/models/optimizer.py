"""Adam, with everything that must survive a restart in one tree."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import tensorflow as tf

from worldmodels.models.config import OptimizerConfig
from worldmodels.models.variables import load_variables, save_variables


class Optimizer:
    """Adam (Kingma & Ba 2015) for a fixed set of variables: clips by the global norm, then decays, then steps.

    A gradient that is not finite changes nothing, neither the variables nor the moments nor the count.
    """

    BETA1, BETA2 = 0.9, 0.999

    def __init__(self, variables: Mapping[str, tf.Variable], config: OptimizerConfig):
        self.config = config
        self.variables = dict(variables)
        self._first = {name: tf.Variable(tf.zeros_like(value)) for name, value in variables.items()}
        self._second = {name: tf.Variable(tf.zeros_like(value)) for name, value in variables.items()}
        self.updates = tf.Variable(0, dtype=tf.int64)
        """Steps taken so far."""

    def minimize(self, tape: tf.GradientTape, loss: tf.Tensor) -> tuple[tf.Tensor, tf.Tensor]:
        """One step; gives the gradient's norm before clipping, and whether loss and gradient were finite."""
        gradients = tape.gradient(loss, list(self.variables.values()))
        norm = tf.linalg.global_norm(gradients)
        finite = tf.math.is_finite(loss) & tf.math.is_finite(norm)
        scale = tf.minimum(1.0, self.config.clip / tf.maximum(norm, 1e-12))
        tf.cond(finite, lambda: self._step(gradients, scale), lambda: tf.constant(False))
        return norm, finite

    def _step(self, gradients: list[tf.Tensor], scale: tf.Tensor) -> tf.Tensor:
        count = tf.cast(self.updates.assign_add(1), tf.float32)
        for gradient, (name, variable) in zip(gradients, self.variables.items(), strict=True):
            if self.config.weight_decay:
                variable.assign(variable * (1.0 - self.config.weight_decay))
            tf.raw_ops.ResourceApplyAdam(
                var=variable.handle,
                m=self._first[name].handle,
                v=self._second[name].handle,
                beta1_power=tf.pow(self.BETA1, count),
                beta2_power=tf.pow(self.BETA2, count),
                lr=self.config.learning_rate,
                beta1=self.BETA1,
                beta2=self.BETA2,
                epsilon=self.config.epsilon,
                grad=gradient * scale,
            )
        return tf.constant(True)

    def save(self) -> dict[str, Any]:
        """Moments and the count of steps."""
        first, second = save_variables(self._first), save_variables(self._second)
        return {"first": first, "second": second, "updates": int(self.updates)}

    def load(self, tree: Mapping[str, Any]) -> None:
        """Take over what `save` gave.

        Raises:
            CheckpointError: names or shapes differ.
        """
        load_variables(self._first, tree["first"], "the optimizer")
        load_variables(self._second, tree["second"], "the optimizer")
        self.updates.assign(tree["updates"])
