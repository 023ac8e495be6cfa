"""The network of a policy and its value: one trunk or two, with an LSTM if configured."""

from __future__ import annotations

from typing import Any

import keras
import numpy as np
import tensorflow as tf

from worldmodels.agents.networks.bodies import BodySettings, build_body
from worldmodels.core.specs import ActionSpec, ObservationSpec
from worldmodels.core.types import State
from worldmodels.models.api import ModelSpec
from worldmodels.models.networks.layers import Dense, Layer
from worldmodels.models.networks.scan import LoopProduct, scan
from worldmodels.models.precision import building_in, full, matmul
from worldmodels.models.variables import named_variables

FIRST_LOG_DEVIATION = -0.5
"""Initial logarithm of the standard deviation of each number of a box of actions (Spinning Up's)."""


class PolicyNetwork(Layer):
    """Heads for the parameters of the policy's distribution and for the value.

    On one trunk they start at exactly 0: the first policy is uniform, or has the middle of the box as its mean, and
    expects nothing. With a trunk of its own each starts like any layer, as in Spinning Up. Behind a head of zeros a
    trunk learns nothing at first, which a method with one step for each iteration cannot afford.

    Args:
        own_value: whether the value has a trunk of its own; otherwise it reads the policy's.
    """

    def __init__(self, settings: BodySettings, spec: ModelSpec, seeds: np.random.Generator, own_value: bool = False):
        super().__init__(name="policy")
        self.has_memory = settings.lstm > 0
        heads = seeds if own_value else None
        with keras.name_scope("policy"):
            self.trunk = Trunk(settings, spec.features, seeds)
            self.actor = _build_actor(self.trunk.size, spec.action, heads)
        with keras.name_scope("value" if own_value else "policy"):
            self.value_trunk = Trunk(settings, spec.features, seeds) if own_value else None
            with building_in("float32"):
                self.critic = Dense((self.value_trunk or self.trunk).size, 1, heads, "critic")

    @property
    def policy_weights(self) -> dict[str, tf.Variable]:
        """The weights of the policy by name; with the value's where they share a trunk."""
        return named_variables([self.trunk, self.actor] if self.value_trunk else [self])

    @property
    def value_weights(self) -> dict[str, tf.Variable]:
        """The weights of a value of its own by name."""
        return named_variables([self.value_trunk, self.critic])

    def initial(self, batch: int) -> State:
        if not (self.has_memory and self.value_trunk):
            return self.trunk.initial(batch)
        return self.trunk.initial(batch), self.value_trunk.initial(batch)

    def step(self, features: Any, memory: State) -> tuple[tf.Tensor, tf.Tensor, State]:
        """Return parameters (B, P), values (B,) and the new memory, for features leading B."""
        if self.value_trunk is None:
            x, memory = self.trunk.step(features, memory)
            return self.actor(x), self.critic(x)[:, 0], memory
        policy_memory, value_memory = self._memories(memory)
        x, policy_memory = self.trunk.step(features, policy_memory)
        y, value_memory = self.value_trunk.step(features, value_memory)
        return self.actor(x), self.critic(y)[:, 0], (policy_memory, value_memory) if self.has_memory else ()

    def evaluate(
        self, features: Any, is_first: tf.Tensor, memory: State, noise: tf.Tensor | None = None
    ) -> tuple[tf.Tensor, tf.Tensor]:
        """Return parameters (N, ..., P) and values (N, ...) while learning.

        Args:
            features: leading N, or with a memory (N, T): whole rollouts.
            is_first: bool, (N,) or (N, T).
            memory: before each rollout, leading N.
            noise: the seed of dropout masks, int32 (2,).
        """
        if self.value_trunk:
            arguments = (features, is_first, memory, noise)
            return self.evaluate_policy(*arguments), self.evaluate_value(*arguments)
        x = self.trunk.sequence(features, is_first, memory, noise)
        return self._parameters(x, is_first), self._values(x, is_first)

    def evaluate_policy(
        self, features: Any, is_first: tf.Tensor, memory: State, noise: tf.Tensor | None = None
    ) -> tf.Tensor:
        """Return the parameters of `evaluate` alone, where the value has a trunk of its own."""
        return self._parameters(self.trunk.sequence(features, is_first, self._memories(memory)[0], noise), is_first)

    def evaluate_value(
        self, features: Any, is_first: tf.Tensor, memory: State, noise: tf.Tensor | None = None
    ) -> tf.Tensor:
        """Return the values of `evaluate` alone, where they have a trunk of their own."""
        trunk: Any = self.value_trunk
        return self._values(trunk.sequence(features, is_first, self._memories(memory)[1], noise), is_first)

    def _memories(self, memory: State) -> tuple[State, State]:
        """Return the memories of two trunks."""
        return memory if self.has_memory else ((), ())

    def _parameters(self, x: tf.Tensor, is_first: tf.Tensor) -> tf.Tensor:
        parameters = self.actor(x)
        return tf.reshape(parameters, (*is_first.shape, -1)) if self.has_memory else parameters

    def _values(self, x: tf.Tensor, is_first: tf.Tensor) -> tf.Tensor:
        values = self.critic(x)[:, 0]
        return tf.reshape(values, is_first.shape) if self.has_memory else values


class Trunk(Layer):
    """A body and, if it is asked for, an LSTM behind it: what heads read, `size` numbers."""

    def __init__(self, settings: BodySettings, features: ObservationSpec, seeds: np.random.Generator):
        super().__init__(name="trunk")
        self.body = build_body(settings, features, seeds)
        self.lstm = LSTM(self.body.size, settings.lstm, seeds, "lstm") if settings.lstm else None
        self.size = settings.lstm or self.body.size

    def initial(self, batch: int) -> State:
        return self.lstm.initial(batch) if self.lstm else ()

    def step(self, features: Any, memory: State) -> tuple[tf.Tensor, State]:
        """Return outputs (B, size) and the new memory, for features leading B."""
        x = self.body(features, None)
        if self.lstm is None:
            return x, memory
        memory = self.lstm.step(x, memory)
        return memory[0], memory

    def sequence(self, features: Any, is_first: tf.Tensor, memory: State, noise: tf.Tensor | None) -> tf.Tensor:
        """Return outputs of all steps, (N, size), or with a memory (N T, size); see `PolicyNetwork.evaluate`."""
        if self.lstm is None:
            return self.body(features, noise)
        x = self.body(tf.nest.map_structure(lambda x: tf.reshape(x, (-1, *x.shape[2:])), features), noise)
        # Time first, for the loop, only now: this is far smaller than images.
        x = tf.transpose(tf.reshape(x, (-1, is_first.shape[1], x.shape[-1])), (1, 0, 2))
        keep = 1.0 - tf.cast(tf.transpose(is_first), tf.float32)[..., None]
        x = tf.transpose(self.lstm.sequence(x, keep, memory), (1, 0, 2))
        return tf.reshape(x, (-1, self.size))


class GaussianHead(Dense):
    """A dense layer of means, with logarithms of standard deviations that are the same in every state."""

    def __init__(self, inputs: int, numbers: int, seeds: np.random.Generator | None, name: str):
        super().__init__(inputs, numbers, seeds, name)
        first = keras.initializers.Constant(FIRST_LOG_DEVIATION)
        self.log_deviation = self.add_weight(name="log_deviation", shape=(numbers,), initializer=first)

    def call(self, x: tf.Tensor) -> tf.Tensor:
        mean = super().call(x)
        return tf.concat([mean, tf.zeros_like(mean) + self.log_deviation], -1)


def _build_actor(inputs: int, action: ActionSpec, seeds: np.random.Generator | None) -> Dense:
    """Return the head for the parameters of the distribution of actions (see `policy_distributions.py`)."""
    with building_in("float32"):
        if action.is_discrete:
            return Dense(inputs, action.count, seeds, "actor")
        return GaussianHead(inputs, action.size, seeds, "actor")


Memory = tuple[tf.Tensor, tf.Tensor]
"""Output and cell, float32 (B, units) each."""


class LSTM(Layer):
    """A long short-term memory (Hochreiter & Schmidhuber 1997); the forget gate's bias of 1 makes it keep at first."""

    def __init__(self, inputs: int, units: int, seeds: np.random.Generator, name: str):
        super().__init__(name=name)
        self.units = units
        self.kernel = self.weight("kernel", (inputs, 4 * units), seeds)
        self.recurrent_kernel = self.weight("recurrent_kernel", (units, 4 * units), seeds)
        self.bias = self.weight("bias", (4 * units,))

    def initial(self, batch: int) -> Memory:
        return tf.zeros((batch, self.units)), tf.zeros((batch, self.units))

    def step(self, x: tf.Tensor, memory: Memory) -> Memory:
        """Return the memory after inputs (B, F)."""
        return self._advance(self._enter(x) + full(matmul(memory[0], self.recurrent_kernel, self.precision)), memory[1])

    def sequence(self, x: tf.Tensor, keep: tf.Tensor, memory: Memory) -> tf.Tensor:
        """Return outputs (T, B, units) of inputs (T, B, F); `keep` (T, B, 1) multiplies the memory before each step."""
        terms = tf.reshape(self._enter(tf.reshape(x, (-1, x.shape[-1]))), (x.shape[0], -1, 4 * self.units))
        remember = LoopProduct(tf.convert_to_tensor(self.recurrent_kernel), terms, self.precision)

        def step(output, cell, keep, term):
            output, cell = output * keep, cell * keep
            return *self._advance(remember(output, term), cell), output

        outputs, _, inputs = scan(step, memory, (keep, remember.terms))
        remember.collect(inputs)
        return outputs

    def _enter(self, x: tf.Tensor) -> tf.Tensor:
        return tf.nn.bias_add(full(matmul(x, self.kernel, self.precision)), self.bias)

    @staticmethod
    def _advance(gates: tf.Tensor, cell: tf.Tensor) -> Memory:
        enter, forget, candidate, leave = tf.split(gates, 4, -1)
        cell = tf.sigmoid(forget + 1.0) * cell + tf.sigmoid(enter) * tf.tanh(candidate)
        return tf.sigmoid(leave) * tf.tanh(cell), cell
