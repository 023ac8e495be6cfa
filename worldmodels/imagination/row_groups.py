"""Work on many rows is done in groups of one size: memory stays bounded, and one graph serves all groups."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import tensorflow as tf

from worldmodels.core.seeding import fold

ROWS = 16
"""Number of rows whose images a model decodes at once. A model that gives every pixel a class needs tens of megabytes
for each row. With this number, evaluating a model takes no more memory than training it."""
ROLLOUTS = {False: 4096, True: 256}
"""Number of a planner's rollouts at once, by `ModelSpec.imagines_images`; they decode no images."""


def in_row_groups(
    function: Callable[[Any, tf.Tensor], Any],
    rows: Any,
    key: np.ndarray,
    keep: Callable[[Any, np.ndarray], Any] = lambda output, group: output,
    most: int | None = None,
) -> Any:
    """Call `function(group, seed)` for groups of rows, and return its outputs joined, as NumPy arrays.

    Args:
        function: takes a nest like `rows` with fewer rows and a seed, int32 (2,); returns a nest of tensors, leading
            the rows of the group.
        rows: a nest of arrays or tensors with one leading axis of rows.
        key: int32 (2,), of all seeds.
        keep: takes the output for a group, as NumPy arrays, and the indices of its rows; its result replaces the
            output. So large outputs never exist for all rows at once.
        most: largest number of rows of a group; `ROWS` by default.
    """
    count = len(tf.nest.flatten(rows)[0])
    made = []
    for group in row_groups(count, most or ROWS):
        taken = tf.nest.map_structure(lambda x, group=group: _take(x, group), rows)
        output = function(taken, tf.constant(fold(key, int(group[0]))))
        made.append(keep(tf.nest.map_structure(lambda x: x.numpy(), output), group))
    return tf.nest.map_structure(lambda *parts: np.concatenate(parts)[:count], *made)


def row_groups(count: int, most: int) -> Iterator[np.ndarray]:
    """Yield the indices of `count` rows in groups of one size, at most `most`: a smaller group would be another graph.

    The last group begins again at the first row where rows are missing.
    """
    size = -(-count // -(-count // most))
    for start in range(0, count, size):
        yield np.arange(start, start + size) % count


def equal_groups(count: int, most: int) -> int:
    """Return the smallest number of equally large groups of `count` rows with at most `most` rows each."""
    return next(groups for groups in range(-(-count // most), count + 1) if count % groups == 0)


def _take(x: Any, group: np.ndarray) -> tf.Tensor:
    return tf.constant(x[group]) if isinstance(x, np.ndarray) else tf.gather(x, group)
