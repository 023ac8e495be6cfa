from __future__ import annotations

import numpy as np
import tensorflow as tf

from worldmodels.core.seeding import fold
from worldmodels.imagination.row_groups import equal_groups, in_row_groups, row_groups


def test_groups_of_rows_are_equally_large() -> None:
    assert [rows.tolist() for rows in row_groups(5, 2)] == [[0, 1], [2, 3], [4, 0]]
    assert [rows.tolist() for rows in row_groups(3, 64)] == [[0, 1, 2]]
    # Six rows in groups of at most four are two threes; five in groups of at most four are five of one.
    assert (equal_groups(6, 4), equal_groups(5, 4), equal_groups(4, 4)) == (2, 5, 1)


def test_groups_get_seeds_of_their_own_and_are_joined_without_what_was_made_twice() -> None:
    key = np.array([1, 2], np.int32)
    rows = {"array": np.arange(70, dtype=np.int32), "tensor": tf.range(70) * 2}

    def function(group, seed):
        sums = group["array"] + group["tensor"]
        return sums, tf.fill(sums.shape, seed[0])

    sums, seeds = in_row_groups(function, rows, key, most=64)
    assert sums.tolist() == [3 * row for row in range(70)]
    # At most 64 rows at once: two groups of 35, whose seeds are named by their first rows.
    assert seeds.tolist() == [fold(key, 0)[0]] * 35 + [fold(key, 35)[0]] * 35


def test_what_is_kept_of_an_output_takes_its_place() -> None:
    rows = np.arange(70, dtype=np.int32)
    seen = []

    def keep(output: np.ndarray, group: np.ndarray) -> np.ndarray:
        seen.append(group.tolist())
        return output - group

    kept = in_row_groups(lambda group, seed: 2 * group, rows, np.array([1, 2], np.int32), keep, 64)
    assert kept.tolist() == list(range(70))
    assert seen == [list(range(35)), list(range(35, 70))]
