from __future__ import annotations

import numpy as np
import pytest
import tensorflow as tf

from worldmodels.core.errors import CheckpointError
from worldmodels.models.config import OptimizerConfig
from worldmodels.models.optimizers import Optimizer


def step(optimizer: Optimizer, variable: tf.Variable, factor: float = 1.0):
    with tf.GradientTape() as tape:
        loss = factor * tf.reduce_sum(variable**3)
    return optimizer.minimize(tape, loss)


def test_first_step_by_hand():
    variable = tf.Variable([1.0, -2.0])
    norm, finite = step(
        Optimizer({"x": variable}, OptimizerConfig(learning_rate=0.1, epsilon=1e-12, clip=1e9, weight_decay=0.5)),
        variable,
    )
    # Decay halves the weights; then Adam's first step is the learning rate against the gradient's sign, 3 x^2 > 0.
    np.testing.assert_allclose(variable, [0.4, -1.1], rtol=1e-5)
    assert float(norm) == pytest.approx(np.hypot(3, 12))
    assert finite


def test_the_learning_rate_may_follow_a_schedule():
    variable = tf.Variable([1.0])
    settings = OptimizerConfig(learning_rate="linear(0.5, 0.1, 4)", epsilon=1e-12, clip=1e9, weight_decay=0)
    optimizer, rates = Optimizer({"x": variable}, settings), []
    for _ in range(6):
        before = variable.numpy()
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum(variable)
        optimizer.minimize(tape, loss)
        rates.append(float(before[0] - variable[0]))
    # Under a gradient that never changes, a step of Adam is the learning rate.
    np.testing.assert_allclose(rates, [0.4, 0.3, 0.2, 0.1, 0.1, 0.1], rtol=1e-4)


def test_clipping_scales_the_whole_gradient():
    variable = tf.Variable([1.0, -2.0])
    optimizer = Optimizer({"x": variable}, OptimizerConfig(clip=0.5))
    norm, _ = step(optimizer, variable)
    first = optimizer.save()["first"]["x"]
    np.testing.assert_allclose(first, 0.1 * 0.5 / np.hypot(3, 12) * np.array([3, 12]), rtol=1e-4)
    assert float(norm) == pytest.approx(np.hypot(3, 12))


def test_a_gradient_that_is_not_finite_changes_nothing():
    variable = tf.Variable([1.0, -2.0])
    optimizer = Optimizer({"x": variable}, OptimizerConfig())
    step(optimizer, variable)
    before, weights = optimizer.save(), variable.numpy()
    _, finite = step(optimizer, variable, np.nan)
    assert not finite
    np.testing.assert_array_equal(variable, weights)
    np.testing.assert_equal(optimizer.save(), before)


def test_a_restored_optimizer_goes_on_as_if_nothing_had_happened():
    variable, other = tf.Variable([1.0, -2.0]), tf.Variable([0.0, 0.0])
    optimizer, restored = (Optimizer({"x": v}, OptimizerConfig(learning_rate=0.1)) for v in (variable, other))
    step(optimizer, variable)
    restored.load(optimizer.save())
    other.assign(variable)
    step(optimizer, variable)
    step(restored, other)
    np.testing.assert_array_equal(variable, other)
    assert restored.save()["updates"] == 2


def test_a_foreign_tree_is_refused():
    optimizer = Optimizer({"x": tf.Variable([1.0])}, OptimizerConfig())
    tree = Optimizer({"y": tf.Variable([1.0])}, OptimizerConfig()).save()
    with pytest.raises(CheckpointError, match="lacks 'x', and has 'y'"):
        optimizer.load(tree)
    with pytest.raises(CheckpointError, match=r"'x' has shape \(2,\) in the checkpoint and \(1,\) in the optimizer"):
        optimizer.load(Optimizer({"x": tf.Variable([1.0, 2.0])}, OptimizerConfig()).save())
