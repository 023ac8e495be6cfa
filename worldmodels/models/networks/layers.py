"""All models and agents are built from these layers.

Inputs are rows (N, features), or images (N, H, W, C): float32, or the output of another layer (see `precision.py`).

Each layer's weights are made in its constructor, from a NumPy generator that is passed from layer to layer, so the same
seed gives the same weights. The arithmetic is written in operations that TensorFlow fuses on a CPU (product, bias,
activation), which Keras's own layers do not use.

Networks read actions as vectors.
"""

from __future__ import annotations

from collections.abc import Sequence

import keras
import numpy as np
import tensorflow as tf

from worldmodels.core.specs import ActionSpec
from worldmodels.models import precision
from worldmodels.models.config import LayerStyle

ELU = LayerStyle()
"""The style without a norm."""


class Layer(keras.layers.Layer):
    """A layer with explicitly seeded weights, which multiplies in the precision in which it was built."""

    def __init__(self, name: str):
        super().__init__(name=name, autocast=False)  # otherwise Keras would widen whatever comes in narrow
        self.precision = precision.current()
        # Otherwise Keras would call a layer twice the first time, and a pass would count its random draws twice.
        self.built = True

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
        return precision.dense(x, self.kernel, self.bias, self.precision)


class BlockDense(Layer):
    """A dense layer with a block-diagonal W, y = x W + b: each block of units reads a block of inputs."""

    def __init__(self, inputs: int, units: int, blocks: int, seeds: np.random.Generator, name: str):
        super().__init__(name=name)
        self.inputs = inputs
        # Glorot-uniform by block: Keras takes the first axis for one that adds to what a unit sees.
        scaled = keras.initializers.VarianceScaling(blocks, "fan_avg", "uniform", int(seeds.integers(2**31)))
        shape = (blocks, inputs // blocks, units // blocks)
        self.kernel = self.add_weight(name="kernel", shape=shape, initializer=scaled)
        self.bias = self.weight("bias", (units,))

    def call(self, x: tf.Tensor) -> tf.Tensor:
        return precision.add_bias(precision.block_matmul(x, self.kernel, self.precision), self.bias)


class Activation(Layer):
    """The part behind a hidden layer: a norm over its units, if the style has one, and a nonlinearity."""

    def __init__(self, units: int, style: LayerStyle, name: str):
        super().__init__(name=name)
        self.function = getattr(tf.nn, style.activation)
        has_norm, centred = style.norm != "none", style.norm == "layer"
        self.scale = self.add_weight(name="scale", shape=(units,), initializer="ones") if has_norm else None
        self.offset = self.weight("offset", (units,)) if centred else None

    def call(self, x: tf.Tensor) -> tf.Tensor:
        if self.offset is not None:
            x = tf.cast(layer_norm(precision.full(x), self.scale, self.offset), x.dtype)
        elif self.scale is not None:
            x = tf.cast(rms_norm(precision.full(x), self.scale), x.dtype)
        return self.function(x)


class MLP(Layer):
    """A stack of hidden dense layers, each with its activation, and a linear output, which is always float32."""

    def __init__(
        self,
        sizes: Sequence[int],
        seeds: np.random.Generator,
        name: str,
        zero_output: bool = False,
        style: LayerStyle = ELU,
    ):
        """Build layers of `sizes`: inputs, units of each hidden layer, outputs."""
        super().__init__(name=name)
        with keras.name_scope(name):
            pairs = list(zip(sizes[:-1], sizes[1:], strict=True))
            self.dense = [Dense(*pair, seeds, f"dense_{i}") for i, pair in enumerate(pairs[:-1])]
            self.activations = [Activation(units, style, f"activation_{i}") for i, (_, units) in enumerate(pairs[:-1])]
            with precision.building_in("float32"):
                self.dense.append(Dense(*pairs[-1], None if zero_output else seeds, f"dense_{len(pairs) - 1}"))

    def call(self, x: tf.Tensor) -> tf.Tensor:
        for dense, activation in zip(self.dense, self.activations, strict=False):
            x = activation(dense(x))
        return self.dense[-1](x)


class Conv(Layer):
    """A convolution of stride 2 without padding."""

    def __init__(self, inputs: int, units: int, size: int, seeds: np.random.Generator, name: str):
        super().__init__(name=name)
        self.kernel = self.weight("kernel", (size, size, inputs, units), seeds)
        self.bias = self.weight("bias", (units,))

    def call(self, x: tf.Tensor) -> tf.Tensor:
        return precision.add_bias(precision.conv2d(x, self.kernel, 2, "VALID", self.precision), self.bias)


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
        x = precision.conv2d_transpose(x, self.kernel, shape, 2, "VALID", self.precision)
        return precision.add_bias(x, self.bias)


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
        entered = tf.concat([precision.full(x), state], -1)
        gates = precision.dense(entered, self.kernel, self.bias, self.precision)
        return self.advance(precision.full(gates), state)

    def advance(self, gates: tf.Tensor, state: tf.Tensor) -> tf.Tensor:
        """Return the new state (N, units), from pre-activations of the gates (N, 3 * units) and the state before."""
        reset, candidate, update = tf.split(layer_norm(gates, self.scale, self.offset), 3, -1)
        return gated_update(reset, candidate, update, state)


def gated_update(reset: tf.Tensor, candidate: tf.Tensor, update: tf.Tensor, state: tf.Tensor) -> tf.Tensor:
    """Return the new state of a GRU from pre-activations of its gates; the bias of -1 makes it keep its memory."""
    candidate = tf.tanh(tf.sigmoid(reset) * candidate)
    update = tf.sigmoid(update - 1.0)
    return update * candidate + (1.0 - update) * state


def rms_norm(x: tf.Tensor, scale: tf.Tensor, epsilon: float = 1e-4) -> tf.Tensor:
    """Divide each row by its root mean square, then scale each feature."""
    return x * tf.math.rsqrt(tf.reduce_mean(tf.square(x), -1, keepdims=True) + epsilon) * scale


def layer_norm(x: tf.Tensor, scale: tf.Tensor, offset: tf.Tensor, epsilon: float = 1e-3) -> tf.Tensor:
    """Normalise each row to mean 0 and variance 1, then scale and offset each feature."""
    centred = x - tf.reduce_mean(x, -1, keepdims=True)
    variance = tf.reduce_mean(tf.square(centred), -1, keepdims=True)
    return centred * tf.math.rsqrt(variance + epsilon) * scale + offset


def action_vectors(actions: tf.Tensor, spec: ActionSpec) -> tf.Tensor:
    """Return actions as float32 vectors (..., spec.width): choices as one-hot vectors, numbers as they are.

    Args:
        actions: choices int32 (...), or as one-hot vectors float32 (..., count), or numbers float32 (..., size).
    """
    return tf.one_hot(actions, spec.count) if tf.as_dtype(actions.dtype).is_integer else actions
