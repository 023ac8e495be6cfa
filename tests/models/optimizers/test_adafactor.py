from __future__ import annotations

import numpy as np
import pytest
import tensorflow as tf

from worldmodels.models.config import AdafactorConfig, OptimizerConfig
from worldmodels.models.optimizers import Adafactor, Optimizer, build_optimizer, learning_rate

CONSTANT = AdafactorConfig(learning_rate=0.1, schedule="constant", warmup=0, clip=1e9)


def step(optimizer, variable: tf.Variable, gradient) -> None:
    with tf.GradientTape() as tape:
        loss = tf.reduce_sum(variable * tf.constant(gradient))
    optimizer.minimize(tape, loss)


def test_first_step_of_a_vector_by_hand():
    """The second moment is the squared gradient alone, so the update is its sign, and the step 0.1 of the RMS, 5."""
    variable = tf.Variable([1.0, -7.0])
    step(Adafactor({"x": variable}, CONSTANT), variable, [3.0, -0.2])
    np.testing.assert_allclose(variable, [0.5, -6.5], rtol=1e-5)


def test_first_step_of_a_matrix_by_hand():
    """Squares [[1, 4], [9, 16]]: row means 2.5 and 12.5 with the mean 7.5, column means 5 and 10."""
    variable = tf.Variable([[2.0, 2.0], [2.0, 2.0]])
    gradient = np.array([[1.0, 2.0], [3.0, 4.0]], np.float32)
    optimizer = Adafactor({"x": variable}, CONSTANT)
    step(optimizer, variable, gradient)
    update = gradient / np.sqrt(np.outer([2.5, 12.5], [5.0, 10.0]) / 7.5)
    update /= max(1.0, np.sqrt(np.mean(update**2)))
    np.testing.assert_allclose(variable, 2.0 - 0.2 * update, rtol=1e-5)
    np.testing.assert_allclose(optimizer.save()["rows"]["x"], [2.5, 12.5], rtol=1e-6)
    np.testing.assert_allclose(optimizer.save()["columns"]["x"], [5.0, 10.0], rtol=1e-6)


def test_the_second_moment_forgets_with_a_power_of_time():
    """At the second update it keeps 1 - 2 ** -0.8 of the first."""
    variable = tf.Variable([1.0])
    optimizer = Adafactor({"x": variable}, CONSTANT)
    step(optimizer, variable, [1.0])
    step(optimizer, variable, [3.0])
    keep = 1 - 2**-0.8
    np.testing.assert_allclose(optimizer.save()["whole"]["x"], [keep + (1 - keep) * 9.0], rtol=1e-5)


def test_a_weight_of_zeros_can_leave_zero():
    variable = tf.Variable(tf.zeros(2))
    step(Adafactor({"x": variable}, CONSTANT), variable, [1.0, -1.0])
    np.testing.assert_allclose(variable, [-1e-4, 1e-4], rtol=1e-4)


def test_published_learning_rates():
    deterministic = AdafactorConfig()
    stochastic = AdafactorConfig(learning_rate=0.002, schedule="constant", warmup=2000)
    rates = {t: float(learning_rate(deterministic, tf.constant(t))) for t in (4_000.0, 8_000.0, 32_000.0)}
    assert rates == pytest.approx({4_000.0: 0.00839, 8_000.0: 0.01677, 32_000.0: 0.00839}, rel=1e-3)
    rates = {t: float(learning_rate(stochastic, tf.constant(t))) for t in (1_000.0, 2_000.0, 90_000.0)}
    assert rates == pytest.approx({1_000.0: 0.001, 2_000.0: 0.002, 90_000.0: 0.002})


def test_a_restored_optimizer_goes_on_as_if_nothing_had_happened():
    variable, other = tf.Variable([[1.0, -2.0]]), tf.Variable([[0.0, 0.0]])
    optimizer, restored = (Adafactor({"x": x}, CONSTANT) for x in (variable, other))
    step(optimizer, variable, [[1.0, 2.0]])
    restored.load(optimizer.save())
    other.assign(variable)
    step(optimizer, variable, [[1.0, 3.0]])
    step(restored, other, [[1.0, 3.0]])
    np.testing.assert_array_equal(variable, other)
    np.testing.assert_equal(restored.save(), optimizer.save())


def test_the_kind_of_the_configuration_decides():
    variables = {"x": tf.Variable([1.0])}
    assert type(build_optimizer(variables, OptimizerConfig())) is Optimizer
    assert type(build_optimizer(variables, AdafactorConfig())) is Adafactor
