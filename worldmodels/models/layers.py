"""The layers that everything here is built of. Inputs are rows: float32 (N, features), or images (N, H, W, C).

Each layer's weights are made in its constructor, from a NumPy generator that is passed from layer to layer, so the same
seed gives the same weights. The arithmetic is written in operations that TensorFlow fuses on a CPU (product, bias,
activation), which Keras's own layers do not use.
"""

from __future__ import annotations

from collections.abc import Sequence

import keras
import numpy as np
import tensorflow as tf


class Layer(keras.layers.Layer):
    """A layer with explicitly seeded weights."""

    def weight(self, name: str, shape: Sequence[int], seeds: np.random.Generator | None = None) -> keras.Variable:
        """Return a Glorot-uniform weight; zeros without `seeds`."""
        initializer = "zeros" if seeds is None else keras.initializers.GlorotUniform(int(seeds.integers(2**31)))
        return self.add_weight(name=name, shape=tuple(shape), initializer=initializer)


class Dense(Layer):
    """A dense layer, y = x W + b."""

    def __init__(self, inputs: int, units: int, seeds: np.random.Generator | None, name: str):
        """Build the layer; `seeds=None` starts with zeros, for a head that predicts exactly 0 before it learns."""
        super().__init__(name=name)
        self.kernel = self.weight("kernel", (inputs, units), seeds)
        self.bias = self.weight("bias", (units,))

    def call(self, x: tf.Tensor) -> tf.Tensor:
        return tf.nn.bias_add(tf.matmul(x, self.kernel), self.bias)


class MLP(Layer):
    """A stack of hidden dense layers with ELU, and a linear output."""

    def __init__(self, sizes: Sequence[int], seeds: np.random.Generator, name: str, zero_output: bool = False):
        """Build layers of `sizes`: inputs, units of each hidden layer, outputs."""
        super().__init__(name=name)
        with keras.name_scope(name):
            last = len(sizes) - 2
            self.dense = [
                Dense(inputs, units, None if zero_output and i == last else seeds, f"dense_{i}")
                for i, (inputs, units) in enumerate(zip(sizes[:-1], sizes[1:], strict=True))
            ]

    def call(self, x: tf.Tensor) -> tf.Tensor:
        for dense in self.dense[:-1]:
            x = tf.nn.elu(dense(x))
        return self.dense[-1](x)


class Conv(Layer):
    """A convolution of stride 2 without padding."""

    def __init__(self, inputs: int, units: int, size: int, seeds: np.random.Generator, name: str):
        super().__init__(name=name)
        self.kernel = self.weight("kernel", (size, size, inputs, units), seeds)
        self.bias = self.weight("bias", (units,))

    def call(self, x: tf.Tensor) -> tf.Tensor:
        return tf.nn.bias_add(tf.nn.conv2d(x, self.kernel.value, 2, "VALID"), self.bias)


class TransposedConv(Layer):
    """A transposed convolution of stride 2 without padding: side n becomes 2 n + size - 2."""

    def __init__(self, inputs: int, units: int, size: int, seeds: np.random.Generator, name: str):
        super().__init__(name=name)
        self.size, self.units = size, units
        self.kernel = self.weight("kernel", (size, size, units, inputs), seeds)
        self.bias = self.weight("bias", (units,))

    def call(self, x: tf.Tensor) -> tf.Tensor:
        height, width = (2 * side + self.size - 2 for side in x.shape[1:3])
        shape = (tf.shape(x)[0], height, width, self.units)
        return tf.nn.bias_add(tf.nn.conv2d_transpose(x, self.kernel.value, shape, 2, "VALID"), self.bias)


class GRUCell(Layer):
    """DreamerV2's gated recurrent unit: one layer norm over the pre-activations of all three gates.

    The update gate's bias of -1 makes it keep its memory at first.
    """

    def __init__(self, inputs: int, units: int, seeds: np.random.Generator, name: str):
        super().__init__(name=name)
        self.units = units
        self.kernel = self.weight("kernel", (inputs + units, 3 * units), seeds)
        self.bias = self.weight("bias", (3 * units,))
        self.scale = self.add_weight(name="scale", shape=(3 * units,), initializer="ones")
        self.offset = self.weight("offset", (3 * units,))

    def call(self, x: tf.Tensor, state: tf.Tensor) -> tf.Tensor:
        gates = tf.nn.bias_add(tf.matmul(tf.concat([x, state], -1), self.kernel), self.bias)
        return self.advance(gates, state)

    def advance(self, gates: tf.Tensor, state: tf.Tensor) -> tf.Tensor:
        """Return the new state (N, units), from pre-activations of the gates (N, 3 * units) and the state before."""
        reset, candidate, update = tf.split(layer_norm(gates, self.scale, self.offset), 3, -1)
        candidate = tf.tanh(tf.sigmoid(reset) * candidate)
        update = tf.sigmoid(update - 1.0)
        return update * candidate + (1.0 - update) * state


def layer_norm(x: tf.Tensor, scale: tf.Tensor, offset: tf.Tensor, epsilon: float = 1e-3) -> tf.Tensor:
    """Normalise each row to mean 0 and variance 1, then scale and offset each feature."""
    centred = x - tf.reduce_mean(x, -1, keepdims=True)
    variance = tf.reduce_mean(tf.square(centred), -1, keepdims=True)
    return centred * tf.math.rsqrt(variance + epsilon) * scale + offset
