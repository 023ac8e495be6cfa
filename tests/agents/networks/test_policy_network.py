from __future__ import annotations

import numpy as np
import tensorflow as tf

from worldmodels.agents.networks.policy_network import LSTM

random = np.random.default_rng(0)
INPUTS = tf.constant(random.normal(size=(5, 3, 2)), tf.float32)
MEMORY = tuple(tf.constant(random.normal(size=(3, 4)), tf.float32) for _ in range(2))
KEEP = tf.constant(random.integers(0, 2, (5, 3, 1)), tf.float32)


def by_steps(lstm: LSTM) -> tf.Tensor:
    memory, outputs = MEMORY, []
    for x, keep in zip(INPUTS, KEEP, strict=True):
        memory = lstm.step(x, tuple(keep * part for part in memory))
        outputs.append(memory[0])
    return tf.stack(outputs)


def test_a_sequence_is_its_steps_and_so_are_its_gradients():
    lstm = LSTM(2, 4, np.random.default_rng(0), "lstm")
    weights = [weight.value for weight in lstm.trainable_weights]
    found = []
    for run in (by_steps, lambda lstm: lstm.sequence(INPUTS, KEEP, MEMORY)):
        with tf.GradientTape() as tape:
            outputs = run(lstm)
            loss = tf.reduce_sum(tf.square(outputs))
        found.append([outputs, *tape.gradient(loss, weights)])
    for one, other in zip(*found, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-4, atol=1e-5)


def test_a_step_by_its_definition():
    lstm = LSTM(2, 4, np.random.default_rng(0), "lstm")
    x, (output, cell) = INPUTS[0], MEMORY
    gates = x @ lstm.kernel.value + output @ lstm.recurrent_kernel.value
    enter, forget, candidate, leave = (gates[:, 4 * i : 4 * i + 4].numpy() for i in range(4))

    def sigmoid(x):
        return 1 / (1 + np.exp(-x))

    new = sigmoid(forget + 1) * cell + sigmoid(enter) * np.tanh(candidate)
    found = lstm.step(x, MEMORY)
    np.testing.assert_allclose(found[1], new, rtol=1e-5)
    np.testing.assert_allclose(found[0], sigmoid(leave) * np.tanh(new), rtol=1e-5)
