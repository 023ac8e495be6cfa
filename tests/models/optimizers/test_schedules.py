from __future__ import annotations

import numpy as np
import pytest
import tensorflow as tf

from worldmodels.models.optimizers import value_at


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("linear(1, 0.5, 4)", [1.0, 0.875, 0.75, 0.5, 0.5]),
        ("warmup(4, 8)", [0.0, 2.0, 4.0, 8.0, 8.0]),
        ("exp(1, 0.5, 2)", [1.0, 0.5 + 0.5 * 2**-0.5, 0.75, 0.625, 0.5 + 0.5 * 2**-50]),
        ("horizon(2, 10, 4)", [0.5, 0.75, 1 - 1 / 6, 0.9, 0.9]),
    ],
)
def test_values_after_0_1_2_4_and_100_updates(text, values):
    found = [value_at(text, tf.constant(count, tf.int64)) for count in (0, 1, 2, 4, 100)]
    np.testing.assert_allclose(found, values, rtol=1e-6)
    assert found[0].dtype == tf.float32


def test_a_constant_stays_a_number_of_python():
    assert value_at(0.1, tf.constant(5, tf.int64)) == 0.1
