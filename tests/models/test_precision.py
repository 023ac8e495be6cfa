from __future__ import annotations

import numpy as np
import pytest
import tensorflow as tf

from worldmodels.core.processor import Processor
from worldmodels.models import precision
from worldmodels.models.networks.layers import MLP, Conv, Dense, TransposedConv
from worldmodels.models.networks.scan import LoopProduct, scan
from worldmodels.models.precision import building_in

ROUNDING = 2.0**-8
"""bfloat16 keeps 8 binary digits: a rounded number is off by half of this, relative to itself, and a sum by some."""


def random(*shape: int) -> tf.Tensor:
    return tf.constant(np.random.default_rng(sum(shape)).normal(size=shape).astype(np.float32))


def seeds() -> np.random.Generator:
    return np.random.default_rng(3)


def test_a_layer_keeps_the_precision_in_which_it_was_built():
    with building_in("bfloat16"):
        narrow = Dense(4, 3, seeds(), "narrow")
        with building_in("float32"):
            inner = Dense(4, 3, seeds(), "inner")
    wide = Dense(4, 3, seeds(), "wide")
    assert [layer.precision for layer in (narrow, inner, wide)] == ["bfloat16", "float32", "float32"]
    assert {layer.kernel.dtype for layer in (narrow, inner, wide)} == {"float32"}


def test_the_precision_is_left_when_building_fails():
    with pytest.raises(ZeroDivisionError), building_in("bfloat16"):
        _ = 1 / 0
    assert precision.current() == "float32"


def test_a_product_rounds_its_factors_and_not_its_sum():
    # 1 + 2^-9 is 1 in bfloat16; 4,096 ones are 4,096 in float32, and 256 where a sum is rounded after each summand.
    x = tf.fill((32, 4096), 1.0 + 2.0**-9)
    product = precision.matmul(x, tf.ones((4096, 1)), "bfloat16")
    assert product.dtype == tf.bfloat16
    assert precision.full(product).numpy()[:, 0].tolist() == [4096.0] * 32


def test_products_of_few_rows_stay_in_float32():
    kernel, x = random(8, 4), random(precision.FEW_ROWS, 8)
    few = precision.matmul(x, kernel, "bfloat16")
    assert few.dtype == tf.float32
    np.testing.assert_array_equal(few, tf.matmul(x, kernel))
    assert precision.matmul(random(precision.FEW_ROWS + 1, 8), kernel, "bfloat16").dtype == tf.bfloat16


@pytest.mark.parametrize("instructions", ["as they are", "AVX2"])
@pytest.mark.parametrize(
    ("layer", "shape"),
    [
        (lambda: Dense(12, 5, seeds(), "dense"), (40, 12)),
        (lambda: Conv(3, 5, 4, seeds(), "conv"), (20, 12, 12, 3)),
        (lambda: TransposedConv(3, 5, 4, seeds(), "conv"), (20, 6, 6, 3)),
    ],
)
def test_a_narrow_layer_has_the_values_and_gradients_of_a_wide_one(layer, shape, instructions, monkeypatch):
    if instructions != "as they are":
        monkeypatch.setattr(precision, "computing_processor", lambda: Processor("another", instructions))
    wide = layer()
    with building_in("bfloat16"):
        narrow = layer()
    for one in (wide, narrow):
        one.bias.assign(random(5))
    x, outcomes = random(*shape), []
    for one in (wide, narrow):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = one(x)
            loss = tf.reduce_sum(precision.full(y) * random(*y.shape))
        weights = [weight.value for weight in one.trainable_weights]
        outcomes.append([precision.full(y), *tape.gradient(loss, [x, *weights])])
    assert narrow(x).dtype == tf.bfloat16
    for expected, found in zip(*outcomes, strict=True):
        assert found.dtype == tf.float32
        scale = float(tf.reduce_max(tf.abs(expected)))
        np.testing.assert_allclose(found, expected, atol=4 * ROUNDING * scale)


def test_the_gradient_of_a_bias_loses_no_summands():
    bias = tf.Variable([0.0])
    with tf.GradientTape() as tape:
        y = precision.add_bias(tf.zeros((30_000, 1), tf.bfloat16), bias)
        loss = tf.reduce_sum(precision.full(y))
    # TensorFlow's own gives 256: a sum in bfloat16 in which another 1 is rounded away.
    np.testing.assert_allclose(tape.gradient(loss, bias), [30_000], rtol=ROUNDING)


def test_the_output_of_a_stack_of_layers_is_float32_throughout():
    with building_in("bfloat16"):
        mlp = MLP((6, 8, 3), seeds(), "mlp")
    x = random(40, 6)
    hidden = tf.nn.elu(mlp.dense[0](x))
    expected = tf.matmul(precision.full(hidden), mlp.dense[1].kernel) + mlp.dense[1].bias
    np.testing.assert_allclose(mlp(x), expected, rtol=1e-6)


def test_a_narrow_product_in_a_loop_has_the_gradients_of_a_wide_one():
    kernel, terms, inputs = random(4, 4), random(6, 3, 4), random(3, 4)
    gradients = []
    for kind in ("float32", "bfloat16"):
        with tf.GradientTape() as tape:
            tape.watch(kernel)
            product = LoopProduct(kernel, terms, kind)

            def step(state, term, product=product):
                return tf.tanh(product(state, term)), state

            states, entered = scan(step, (inputs,), (product.terms,))
            product.collect(entered)
            loss = tf.reduce_sum(states**2)
        gradients.append(tape.gradient(loss, kernel))
    np.testing.assert_allclose(gradients[1], gradients[0], atol=0.05 * float(tf.reduce_max(tf.abs(gradients[0]))))


def test_the_same_seed_gives_the_same_weights_in_both_precisions():
    wide = MLP((6, 8, 3), seeds(), "mlp")
    with building_in("bfloat16"):
        narrow = MLP((6, 8, 3), seeds(), "mlp")
    for one, other in zip(wide.trainable_weights, narrow.trainable_weights, strict=True):
        np.testing.assert_array_equal(one, other)
