from __future__ import annotations

import numpy as np
import tensorflow as tf

from worldmodels.models.config import LayerStyle
from worldmodels.models.networks.layers import (
    MLP,
    Activation,
    BlockDense,
    Conv,
    Dense,
    GRUCell,
    Layer,
    TransposedConv,
    layer_norm,
)
from worldmodels.models.variables import named_variables


def random() -> np.random.Generator:
    return np.random.default_rng(5)


def test_weights_are_named_by_path_and_follow_the_seed():
    first, second = (
        named_variables([MLP((3, 4, 2), random(), "head")]),
        named_variables([MLP((3, 4, 2), random(), "head")]),
    )
    assert list(first) == ["head/dense_0/kernel", "head/dense_0/bias", "head/dense_1/kernel", "head/dense_1/bias"]
    for name, weight in first.items():
        np.testing.assert_array_equal(weight, second[name])


def test_mlp_by_hand():
    mlp = MLP((1, 1, 1), random(), "mlp")
    for weight, value in zip(mlp.trainable_weights, ([[2.0]], [-4.0], [[3.0]], [1.0]), strict=True):
        weight.assign(value)
    # elu(2 * 3 - 4) * 3 + 1, and elu(2 * 1 - 4) * 3 + 1 with elu(-2) = exp(-2) - 1
    np.testing.assert_allclose(mlp(tf.constant([[3.0], [1.0]])), [[7.0], [3 * np.exp(-2) - 2]], rtol=1e-5)


def test_blocks_see_their_own_inputs():
    layer = BlockDense(4, 2, 2, random(), "blocks")
    layer.kernel.assign([[[1.0], [2.0]], [[3.0], [4.0]]])
    layer.bias.assign([0.5, -1.0])
    given = layer(tf.constant([[1.0, 10, 100, 1000], [0, 1, 0, 1]]))
    np.testing.assert_array_equal(given, [[21.5, 4299], [2.5, 3]])


def test_a_layer_norm_takes_mean_and_deviation_out():
    """Of 1 and 3: mean 2, deviation 1, and a thousandth under the root; then scale 2 and offset 0.5."""
    activation = Activation(2, LayerStyle("layer", "relu"), "activation")
    activation.scale.assign([2.0, 2.0])
    activation.offset.assign([0.5, 0.5])
    one = 1 / np.sqrt(1.001)
    np.testing.assert_allclose(activation(tf.constant([[1.0, 3.0]])), [[0, 2 * one + 0.5]], rtol=1e-6)


def test_a_style_with_a_norm_and_silu_by_hand():
    activation = Activation(2, LayerStyle("rms", "silu"), "activation")
    activation.scale.assign([1.0, 2.0])
    # The root mean square of 3 and -4 is 5 / sqrt(2); then x sigmoid(x).
    x = np.array([3.0, -8.0]) / (5 / np.sqrt(2))
    given = activation(tf.constant([[3.0, -4.0]]))
    np.testing.assert_allclose(given[0], x / (1 + np.exp(-x)), rtol=1e-4)
    assert activation(tf.cast([[3.0, -4.0]], tf.bfloat16)).dtype == tf.bfloat16
    mlp = MLP((3, 4, 2), random(), "head", style=LayerStyle("rms", "silu"))
    assert "head/activation_0/scale" in named_variables([mlp])


def test_zero_output_predicts_exactly_zero():
    assert not np.any(MLP((3, 4, 2), random(), "mlp", zero_output=True)(tf.ones((5, 3))))


def test_convolutions_change_the_side_as_their_classes_say():
    pixel = np.zeros((1, 64, 64, 3), np.float32)
    pixel[0, 5, 8] = 1.0
    down = Conv(3, 8, 4, random(), "conv")(tf.constant(pixel)).numpy()
    assert down.shape == (1, 31, 31, 8)
    # With size 4 and stride 2, output row r sees the rows 2 r to 2 r + 3: row 5 is in 1 and 2, column 8 in 3 and 4.
    assert sorted(map(tuple, np.argwhere(down.any(-1)[0]).tolist())) == [(1, 3), (1, 4), (2, 3), (2, 4)]
    place = np.zeros((1, 30, 30, 8), np.float32)
    place[0, 4, 7] = 1.0
    up = TransposedConv(8, 3, 6, random(), "back")(tf.constant(place)).numpy()
    assert up.shape == (1, 64, 64, 3)
    # With size 6 and stride 2, it becomes the rows 8 to 13 and the columns 14 to 19.
    rows, columns = np.nonzero(up.any(-1)[0])
    assert (rows.min(), rows.max(), columns.min(), columns.max()) == (8, 13, 14, 19)


def test_gru_with_zero_weights_forgets_by_the_update_bias():
    cell = GRUCell(2, 3, random(), "gru")
    cell.kernel.assign(tf.zeros_like(cell.kernel))
    # All gates are 0 before the bias: the candidate is 0, and the update gate sigmoid(-1) = 0.268941.
    new = cell(tf.ones((1, 2)), tf.constant([[1.0, -2.0, 0.0]]))
    np.testing.assert_allclose(new, [[0.731059, -1.462117, 0.0]], rtol=1e-5)


def test_gru_gates_by_hand():
    cell = GRUCell(1, 1, random(), "gru")
    cell.kernel.assign([[1.0, 2.0, 3.0], [0.0, 0.0, 0.0]])
    # Pre-activations 1, 2, 3 have mean 2 and variance 2/3.
    reset, candidate, update = np.array([-1, 0, 1]) / np.sqrt(2 / 3 + 1e-3)
    sigmoid = lambda x: 1 / (1 + np.exp(-x))  # noqa: E731
    candidate, update = np.tanh(sigmoid(reset) * candidate), sigmoid(update - 1)
    expected = update * candidate + (1 - update) * 0.5
    np.testing.assert_allclose(cell(tf.constant([[1.0]]), tf.constant([[0.5]])), [[expected]], rtol=1e-5)


def test_layer_norm_by_hand():
    normal = layer_norm(tf.constant([[1.0, 3.0]]), tf.constant([1.0, 2.0]), tf.constant([0.0, 5.0]), epsilon=0.0)
    np.testing.assert_allclose(normal, [[-1.0, 7.0]], rtol=1e-6)


def test_dense_has_a_bias_for_each_unit():
    dense = Dense(2, 3, None, "dense")
    dense.bias.assign([1.0, 2.0, 3.0])
    assert dense(tf.ones((1, 2))).numpy().tolist() == [[1.0, 2.0, 3.0]]


def test_a_layer_is_called_once_also_the_first_time():
    class Counted(Layer):
        def __init__(self):
            super().__init__("counted")
            self.inner, self.calls = Dense(2, 2, None, "inner"), 0

        def call(self, x):
            self.calls += 1
            return self.inner(x)

    layer = Counted()
    for calls in (1, 2):
        layer(tf.zeros((1, 2)))
        assert layer.calls == calls
