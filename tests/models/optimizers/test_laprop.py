from __future__ import annotations

import numpy as np
import pytest
import tensorflow as tf

from worldmodels.models.config import LaPropConfig, OptimizerConfig
from worldmodels.models.optimizers import LaProp, build_optimizer, warmed_up

PLAIN = LaPropConfig(learning_rate=0.1, warmup=0, clip_ratio=1e6)


def step(optimizer: LaProp, variable: tf.Variable, gradient: list[float]) -> None:
    with tf.GradientTape() as tape:
        loss = tf.reduce_sum(variable * tf.constant(gradient))
    optimizer.minimize(tape, loss)


def test_two_steps_by_hand() -> None:
    variable = tf.Variable([1.0, -2.0])
    optimizer = LaProp({"x": variable}, PLAIN)
    step(optimizer, variable, [3.0, -12.0])
    # The first gradient is divided by its own size, and the average by how much of it there is: the sign.
    np.testing.assert_allclose(variable, [0.9, -1.9], rtol=1e-5)
    step(optimizer, variable, [4.0, 0.0])
    # Squares 0.999 * 0.001 * 9 + 0.001 * 16, over 1 - 0.999^2; the step 4 over the root; then the average of 1 and it.
    size = np.sqrt((0.999 * 0.001 * 9 + 0.001 * 16) / (1 - 0.999**2))
    average = (0.9 * 0.1 * 1 + 0.1 * 4 / size) / (1 - 0.9**2)
    assert float(variable[0]) == pytest.approx(0.9 - 0.1 * average, rel=1e-4)
    assert float(variable[1]) == pytest.approx(-1.9 + 0.1 * (0.9 * 0.1) / (1 - 0.9**2), rel=1e-4)


def test_the_learning_rate_may_follow_a_schedule() -> None:
    variable, places = tf.Variable([1.0]), [1.0]
    optimizer = LaProp({"x": variable}, LaPropConfig(learning_rate="linear(0.5, 0.1, 2)", warmup=0, clip_ratio=1e6))
    for _ in range(3):
        step(optimizer, variable, [2.0])
        places.append(float(variable[0]))
    np.testing.assert_allclose(np.diff(places), [-0.3, -0.1, -0.1], rtol=1e-4)


def test_a_gradient_is_clipped_by_the_norm_of_its_weight_alone() -> None:
    weights = {"large": tf.Variable([3.0, 4.0]), "zero": tf.Variable([0.0, 0.0])}
    optimizer = LaProp(weights, LaPropConfig(clip_ratio=0.2, beta2=0.0, epsilon=1e-30))
    with tf.GradientTape() as tape:
        loss = tf.reduce_sum(30 * weights["large"]) + 0.00001 * tf.reduce_sum(weights["zero"])
    optimizer.minimize(tape, loss)
    second = optimizer.save()["second"]
    # 0.2 times the norm 5 is 1, of which each of two equal parts has a square of 1/2.
    np.testing.assert_allclose(second["large"], [0.5, 0.5], rtol=1e-5)
    # A weight of zero counts as one of norm 0.001, and this gradient is shorter than 0.2 of that.
    np.testing.assert_allclose(second["zero"], [1e-10, 1e-10], rtol=1e-5)


def test_the_rate_grows_over_the_warm_up() -> None:
    assert [float(warmed_up(4, tf.constant(float(count)))) for count in (1, 2, 4, 9)] == [0.25, 0.5, 1, 1]
    assert warmed_up(0, tf.constant(1.0)) == 1
    for config in (LaPropConfig(warmup=10, learning_rate=0.1), OptimizerConfig(warmup=10, learning_rate=0.1)):
        variable = tf.Variable([1.0])
        optimizer = build_optimizer({"x": variable}, config)
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum(variable)
        optimizer.minimize(tape, loss)
        assert float(variable[0]) == pytest.approx(0.99, abs=1e-4)


def test_a_restored_optimizer_goes_on_as_if_nothing_had_happened() -> None:
    variable, other = tf.Variable([1.0, -2.0]), tf.Variable([0.0, 0.0])
    optimizer, restored = (LaProp({"x": x}, LaPropConfig()) for x in (variable, other))
    step(optimizer, variable, [1.0, 2.0])
    restored.load(optimizer.save())
    other.assign(variable)
    for one, x in ((optimizer, variable), (restored, other)):
        step(one, x, [0.5, -1.0])
    np.testing.assert_array_equal(variable, other)
