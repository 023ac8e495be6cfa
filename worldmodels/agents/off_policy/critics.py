"""Critics give the values of actions, by several networks at once."""

from __future__ import annotations

from typing import Any

import keras
import numpy as np
import tensorflow as tf

from worldmodels.agents.networks.heads import plain_body
from worldmodels.agents.off_policy.config import OffPolicyAgentConfig
from worldmodels.core.specs import ActionSpec
from worldmodels.models import precision
from worldmodels.models.api import ModelSpec
from worldmodels.models.networks.layers import Layer


class StackedMLP(Layer):
    """Networks of one size side by side: hidden dense layers and a linear output, which is float32 and 0 at first.

    Their weights are stacked, so that one product computes the same layer of all of them.
    """

    def __init__(self, count: int, sizes: tuple[int, ...], activation: str, seeds: np.random.Generator, name: str):
        """Build layers of `sizes`: inputs, units of each hidden layer, outputs."""
        super().__init__(name=name)
        self._function = getattr(tf.nn, activation)
        self._kernels, self._biases = [], []
        for i, (inputs, units) in enumerate(zip(sizes[:-1], sizes[1:], strict=True)):
            # Glorot-uniform by network: Keras takes the first axis for one that adds to what a unit sees.
            scaled = keras.initializers.VarianceScaling(count, "fan_avg", "uniform", int(seeds.integers(2**31)))
            initializer = "zeros" if i == len(sizes) - 2 else scaled
            kernel = self.add_weight(name=f"kernel_{i}", shape=(count, inputs, units), initializer=initializer)
            self._kernels.append(kernel)
            self._biases.append(self.weight(f"bias_{i}", (count, 1, units)))

    def call(self, x: tf.Tensor, count: int | None = None) -> tf.Tensor:
        """Return float32 (C, N, outputs) for rows (N, inputs), of the first `count` networks alone if that is given."""
        x = x[None]
        for i, (kernel, bias) in enumerate(zip(self._kernels, self._biases, strict=True)):
            is_last = i == len(self._kernels) - 1
            kind = "float32" if is_last else self.precision
            if count is not None:
                kernel, bias = kernel[:count], bias[:count]
            product = tf.matmul(precision.narrow(x, kind), precision.narrow(kernel, kind))
            x = precision.full(product) + bias
            x = x if is_last else self._function(x)
        return x


class Critics(Layer):
    """C critics Q(s, a), behind one network for each image among the features."""

    def __init__(
        self, count: int, config: OffPolicyAgentConfig, spec: ModelSpec, seeds: np.random.Generator, name: str
    ):
        super().__init__(name=name)
        self._action: ActionSpec = spec.action
        with keras.name_scope(name):
            self._body = plain_body(config.images, spec.features, seeds)
            hidden = (config.network.units,) * config.network.layers
            sizes = (self._body.size + self._action.size, *hidden, max(1, self._action.count))
            self._heads = StackedMLP(count, sizes, config.style.activation, seeds, "heads")

    def each(self, features: Any) -> tf.Tensor:
        """Return the values of all choices, (C, B, choices)."""
        return self._heads(self._see(features))

    def call(self, features: Any, actions: tf.Tensor, count: int | None = None) -> tf.Tensor:
        """Return the values (C, B) of actions, by the first `count` critics alone if that is given."""
        if self._action.is_discrete:
            chosen = tf.one_hot(actions, self._action.count)
            return tf.reduce_sum(self._heads(self._see(features), count=count) * chosen, -1)
        return self._heads(tf.concat([self._see(features), actions], -1), count=count)[..., 0]

    def _see(self, features: Any) -> tf.Tensor:
        return precision.full(self._body(features))
