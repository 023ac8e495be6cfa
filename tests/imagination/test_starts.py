from __future__ import annotations

import numpy as np
import tensorflow as tf

from worldmodels.imagination.starts import choose_starts

SEED = tf.constant([1, 2])
STATES = {"x": tf.reshape(tf.range(12.0), (3, 4, 1))}
CONTINUES = tf.reshape(tf.range(12.0), (3, 4))


def test_all_starts_in_order():
    for count in (0, 12, 99):
        rows, continues = choose_starts(STATES, CONTINUES, count, SEED)
        np.testing.assert_array_equal(rows["x"][:, 0], np.arange(12))
        np.testing.assert_array_equal(continues, np.arange(12))


def test_some_starts_are_drawn_without_repetition_and_stay_whole():
    rows, continues = choose_starts(STATES, CONTINUES, 5, SEED)
    assert len(np.unique(continues)) == 5
    np.testing.assert_array_equal(rows["x"][:, 0], continues)


def test_another_seed_draws_others():
    draws = {tuple(choose_starts(STATES, CONTINUES, 5, tf.constant([1, i]))[1].numpy()) for i in range(4)}
    assert len(draws) == 4
