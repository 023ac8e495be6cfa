"""The latent of the stochastic model is made of bits, inferred from a transition in training and predicted otherwise.

Bits are -1 or +1, float32 (N, bits). A group of them is one class, whose lowest binary digit is the first bit.

The inference network of the published layout gives the logits of bits for the change between two frames.
"""

from __future__ import annotations

from functools import partial
from typing import NamedTuple

import keras
import numpy as np
import tensorflow as tf

from worldmodels.models import draws
from worldmodels.models.devices import draw_rows
from worldmodels.models.distributions import categorical_nll, gumbel_noise, sample_categorical
from worldmodels.models.networks.layers import Layer
from worldmodels.models.networks.scan import LoopProduct, scan
from worldmodels.models.next_frame.config import ConvNetworkConfig, LatentConfig
from worldmodels.models.next_frame.networks.conv_layers import (
    ActionEmbedding,
    Conv2D,
    Inject,
    Linear,
    PublishedLayer,
    standardise,
    timing_signal,
)
from worldmodels.models.next_frame.networks.network import QUIET, NetworkShape, Noise
from worldmodels.models.precision import building_in, full, matmul

BLUR = 0.2
"""Standard deviation of the noise on the logits in training (`bottleneck_noise` in SimPLe's code)."""
FLIP = 0.1
"""Probability with which a bit is flipped in training."""


def clean_bits(logits: tf.Tensor) -> tf.Tensor:
    """Return the signs of logits; 0 counts as negative."""
    return tf.where(logits > 0.0, 1.0, -1.0)


def noisy_bits(logits: tf.Tensor, hard: tf.Tensor, noise: Noise) -> tf.Tensor:
    """Return bits for training, with the gradient of tanh (straight through the sign).

    Noise is added to the logits and some bits are flipped, so that the network learns bits that are sure and survive
    errors. Each is its sign with probability `hard`, otherwise its tanh.
    """
    blur = noise.draw(partial(draws.truncated_normal, stddev=BLUR), tf.shape(logits))
    soft = tf.tanh(logits + blur)
    sign = soft + tf.stop_gradient(clean_bits(soft) - soft)
    flipped = tf.where(noise.uniform(tf.shape(logits)) < FLIP, -sign, sign)
    return tf.where(noise.uniform(tf.shape(logits)) < hard, flipped, soft)


def to_classes(bits: tf.Tensor, group: int) -> tf.Tensor:
    """Return bits (N, bits) as classes int32 (N, bits / group)."""
    digits = tf.cast(tf.reshape(bits, (-1, bits.shape[1] // group, group)) > 0.0, tf.int32)
    return tf.reduce_sum(digits * 2 ** np.arange(group, dtype=np.int32), -1)


def to_bits(classes: tf.Tensor, group: int) -> tf.Tensor:
    """Return the inverse of `to_classes`."""
    digits = classes[..., None] // 2 ** np.arange(group, dtype=np.int32) % 2
    return tf.reshape(2.0 * tf.cast(digits, tf.float32) - 1.0, (-1, classes.shape[1] * group))


class LSTMState(NamedTuple):
    """The state of a `PredictorLSTM`, each float32 (N, units)."""

    hidden: tf.Tensor
    cell: tf.Tensor


class PredictorLSTM(PublishedLayer):
    """A long short-term memory that does one step at a time; its forget gate starts open."""

    def __init__(self, units: int, seeds: np.random.Generator, name: str):
        super().__init__(name=name)
        self.kernel = self.kernel_of((units, 4 * units), seeds)
        self.recurrent = self.kernel_of((units, 4 * units), seeds, "recurrent")
        self.bias = self.weight("bias", (4 * units,))

    def project(self, x: tf.Tensor) -> tf.Tensor:
        """Return the share of the inputs (N, units) in the gates."""
        return tf.nn.bias_add(full(matmul(x, self.kernel, self.precision)), self.bias)

    def advance(self, projected: tf.Tensor, state: LSTMState) -> LSTMState:
        return self.gate(projected + full(matmul(state.hidden, self.recurrent, self.precision)), state.cell)

    @staticmethod
    def gate(gates: tf.Tensor, cell: tf.Tensor) -> LSTMState:
        """Return the state after pre-activations of the gates (N, 4 * units) and the cell before."""
        enter, candidate, forget, leave = tf.split(gates, 4, -1)
        cell = tf.sigmoid(forget + 1.0) * cell + tf.sigmoid(enter) * tf.tanh(candidate)
        return LSTMState(tf.sigmoid(leave) * tf.tanh(cell), cell)


class BitPredictor(Layer):
    """An LSTM that predicts the bits from the bottleneck, one group after the other, each from those before."""

    def __init__(self, config: LatentConfig, inputs: int, seeds: np.random.Generator):
        super().__init__(name="predictor")
        units, classes = config.units, 2**config.group
        self.config, self.steps = config, config.bits // config.group
        with keras.name_scope("predictor"):
            self.start = Linear(inputs, 3 * units, seeds, "start")
            with building_in("float32"):
                self.embed = Linear(classes, units, seeds, "embed")
            self.lstm = PredictorLSTM(units, seeds, "lstm")
            with building_in("float32"):
                self.classes = Linear(units, classes, seeds, "classes")

    def loss(self, bottleneck: tf.Tensor, bits: tf.Tensor, noise: Noise) -> tf.Tensor:
        """Return the cross-entropy of given bits (N,), the mean of all groups in nats; the bits get no gradient."""
        classes = to_classes(bits, self.config.group)
        first, state = self._begin(bottleneck)
        before = self._embed(tf.transpose(classes[:, :-1]), noise)
        projected = self.lstm.project(tf.reshape(tf.concat([first[None], before], 0), (-1, first.shape[-1])))
        terms = tf.reshape(projected, (self.steps, -1, projected.shape[-1]))
        remember = LoopProduct(tf.convert_to_tensor(self.lstm.recurrent), terms, self.lstm.precision)

        def step(hidden, cell, term):
            return *self.lstm.gate(remember(hidden, term), cell), hidden

        hidden, _, remembered = scan(step, tuple(state), (remember.terms,))
        remember.collect(remembered)
        logits = self.classes(noise.dropout(hidden, self.config.predictor_dropout, axis=1))
        nats = categorical_nll(logits, tf.transpose(classes))
        return tf.reduce_mean(nats, 0)

    def sample(
        self, bottleneck: tf.Tensor, temperature: float | tf.Tensor, seed: tf.Tensor, steps: int = 1
    ) -> tf.Tensor:
        """Return bits drawn from the prediction; temperature 0 takes the most probable class of each group.

        The rows are so many `steps` of all windows, one after the other.
        """
        first, state = self._begin(bottleneck)

        def step(hidden, cell, x, chance):
            state, logits = self._next(hidden, cell, x)
            index = sample_categorical(logits, chance, temperature)
            return *state, self._embed(index, QUIET), index

        *_, classes = scan(step, (*state, first), (self._chance(bottleneck, seed, steps),))
        return to_bits(tf.transpose(classes), self.config.group)

    def draw(
        self, bottleneck: tf.Tensor, temperature: float | tf.Tensor, seed: tf.Tensor, held: tf.Tensor
    ) -> tuple[tf.Tensor, tf.Tensor]:
        """Draw as `sample` does, with some groups held; return classes and the logits under those before.

        Args:
            held: int32 (N, groups), the class of each group that is held; -1 for one that is drawn.

        Returns:
            Classes int32 (N, groups), and logits float32 (N, groups, 2 ** group).
        """
        first, state = self._begin(bottleneck)

        def step(hidden, cell, x, chance, held):
            state, logits = self._next(hidden, cell, x)
            index = tf.where(held < 0, sample_categorical(logits, chance, temperature), held)
            return *state, self._embed(index, QUIET), index, logits

        inputs = (self._chance(bottleneck, seed), tf.transpose(held))
        *_, classes, logits = scan(step, (*state, first), inputs)
        return tf.transpose(classes), tf.transpose(logits, (1, 0, 2))

    def _chance(self, bottleneck: tf.Tensor, seed: tf.Tensor, steps: int = 1) -> tf.Tensor:
        shape = (self.steps, tf.shape(bottleneck)[0], 2**self.config.group)
        return draw_rows(lambda shape: gumbel_noise(shape, seed), shape, axis=1, steps=steps)

    def _next(self, hidden: tf.Tensor, cell: tf.Tensor, x: tf.Tensor) -> tuple[LSTMState, tf.Tensor]:
        """Return the state after an input, and the logits of the next group."""
        state = self.lstm.advance(self.lstm.project(x), LSTMState(hidden, cell))
        return state, self.classes(state.hidden)

    def _begin(self, bottleneck: tf.Tensor) -> tuple[tf.Tensor, LSTMState]:
        """Return the first input and the state before it."""
        flat = tf.reshape(bottleneck, (-1, int(np.prod(bottleneck.shape[1:]))))
        first, hidden, cell = tf.split(self.start(flat), 3, -1)
        return first, LSTMState(hidden, cell)

    def _embed(self, classes: tf.Tensor, noise: Noise) -> tf.Tensor:
        embedded = self.embed(tf.one_hot(classes, 2**self.config.group))
        return noise.dropout(embedded, self.config.predictor_dropout, axis=1)


HEADS = 4


class ConvInference(Layer):
    """An `Inference`: two convolutions, each summarised over space, and a dense layer on the two summaries."""

    def __init__(self, config: ConvNetworkConfig, shape: NetworkShape, bits: int, seeds: np.random.Generator):
        super().__init__(name="inference")
        hidden, depths = config.hidden, (128, 512)
        with keras.name_scope("inference"):
            self.enter = Linear(2 * shape.observation_shape[2], hidden, seeds, "enter")
            self.embed = ActionEmbedding(shape.num_actions, hidden, seeds, "actions")
            self.inject = Inject(hidden, hidden, seeds, "inject")
            self.convs = [
                Conv2D(inputs, units, 8, 4, seeds, f"conv_{i}")
                for i, (inputs, units) in enumerate(zip((hidden, depths[0]), depths, strict=True))
            ]
            self.summaries = [Summary(depth, 2 * depth, seeds, f"summary_{i}") for i, depth in enumerate(depths)]
            self.bits = Linear(2 * sum(depths), bits, seeds, "bits")

    def call(self, frame: tf.Tensor, target: tf.Tensor, action: tf.Tensor) -> tf.Tensor:
        x = self.enter(tf.concat([standardise(frame), standardise(target)], -1))
        x = self.inject(x + timing_signal(*x.shape[1:]), self.embed(action))
        first = self.convs[0](x)
        second = self.convs[1](tf.nn.relu(first))
        return self.bits(tf.concat([self.summaries[0](first), self.summaries[1](second)], -1))


class Summary(Layer):
    """An image as a vector: its mean, and means weighted by attention over space, through a dense layer."""

    def __init__(self, channels: int, units: int, seeds: np.random.Generator, name: str):
        super().__init__(name=name)
        with keras.name_scope(name):
            self.attend = Linear(channels, HEADS, seeds, "attend")
            self.dense = Linear((1 + HEADS) * channels, units, seeds, "dense")

    def call(self, x: tf.Tensor) -> tf.Tensor:
        _, height, width, channels = x.shape
        pixels = tf.reshape(x, (-1, height * width, channels))
        attention = tf.nn.softmax(self.attend(pixels), 1)
        means = tf.matmul(attention, pixels, transpose_a=True)
        means = tf.reshape(means, (-1, HEADS * channels))
        return self.dense(tf.concat([tf.reduce_mean(pixels, 1), means], -1))
