"""The LSTM that is the memory of a policy."""

from __future__ import annotations

import numpy as np
import tensorflow as tf

from worldmodels.models.networks.layers import Layer
from worldmodels.models.networks.scan import LoopProduct, scan
from worldmodels.models.precision import full, matmul

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
