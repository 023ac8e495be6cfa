"""Nests of arrays, stacked and taken apart."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import tensorflow as tf

from worldmodels.training.collectors.collector_worker import stack, unstack


class Pair(NamedTuple):
    left: np.ndarray
    right: dict[str, np.ndarray]


def test_nests_are_stacked_along_a_new_axis_and_taken_apart_again():
    nests = [((), Pair(np.array([i]), {"b": tf.constant(i), "a": np.array([i > 0])}), {}) for i in range(3)]
    empty, pair, nothing = stacked = stack(nests)
    assert (empty, nothing) == ((), {}) and isinstance(pair, Pair)
    np.testing.assert_array_equal(pair.left, [[0], [1], [2]])
    np.testing.assert_array_equal(pair.right["a"], [[False], [True], [True]])
    assert isinstance(pair.right["b"], np.ndarray) and pair.right["b"].tolist() == [0, 1, 2]
    rows = unstack(stacked, 3)
    assert [(row[0], row[2]) for row in rows] == [((), {})] * 3
    assert [(row[1].left.tolist(), int(row[1].right["b"])) for row in rows] == [([0], 0), ([1], 1), ([2], 2)]
    assert list(rows[0][1].right) == ["b", "a"] and isinstance(rows[0][1], Pair)
