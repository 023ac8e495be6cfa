"""Comparing nests of tensors and trees of saved state, bit for bit."""

from __future__ import annotations

from typing import Any

import numpy as np
import tensorflow as tf

from worldmodels.core.tree import flatten


def assert_same(one: Any, other: Any) -> None:
    for first, second in zip(tf.nest.flatten(one), tf.nest.flatten(other), strict=True):
        np.testing.assert_array_equal(np.asarray(first), np.asarray(second))


def differ(one: Any, other: Any) -> bool:
    pairs = zip(tf.nest.flatten(one), tf.nest.flatten(other), strict=True)
    return any(not np.array_equal(first, second) for first, second in pairs)


def leaves(tree: dict[str, Any]) -> dict[str, Any]:
    """Every value that a checkpoint would hold, by its name; TypeError for what it cannot hold."""
    rest, tensors = flatten(tree)
    return {"rest": rest, **tensors}


def assert_same_tree(one: dict[str, Any], other: dict[str, Any]) -> None:
    np.testing.assert_equal(leaves(one), leaves(other))


def poisoned(tree: dict[str, Any]) -> dict[str, Any]:
    """The tree with NaN in every matrix and every kernel."""

    def visit(node: Any) -> Any:
        if isinstance(node, dict):
            return {name: visit(value) for name, value in node.items()}
        if isinstance(node, np.ndarray) and node.dtype == np.float32 and node.ndim > 1:
            return np.full_like(node, np.nan)
        return node

    return visit(tree)
