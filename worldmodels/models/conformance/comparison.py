"""Nests of tensors and trees of saved state are compared bit for bit."""

from __future__ import annotations

from typing import Any

import numpy as np
import tensorflow as tf

from worldmodels.core.errors import ConformanceError
from worldmodels.core.files.tree import flatten


def require(condition: Any, text: str) -> None:
    """Raise ConformanceError with `text` unless the condition holds."""
    if not condition:
        raise ConformanceError(text)


def differ(one: Any, other: Any) -> bool:
    """Return whether two nests of one structure differ in any value."""
    pairs = zip(tf.nest.flatten(one), tf.nest.flatten(other), strict=True)
    return any(not np.array_equal(np.asarray(first), np.asarray(second)) for first, second in pairs)


def require_same(one: Any, other: Any, what: str) -> None:
    """Raise ConformanceError where two nests are not equal; NaN equals NaN.

    Args:
        what: the subject of the error's sentence, "the two futures", for example.
    """
    try:
        tf.nest.assert_same_structure(one, other)
        for first, second in zip(tf.nest.flatten(one), tf.nest.flatten(other), strict=True):
            np.testing.assert_array_equal(np.asarray(first), np.asarray(second))
    except (AssertionError, TypeError, ValueError) as error:
        raise ConformanceError(f"{what} must be the same, bit for bit; they are not:\n{error}") from error


def leaves(tree: dict[str, Any]) -> dict[str, Any]:
    """Return every value that a checkpoint would hold, by its name; TypeError for other types."""
    rest, tensors = flatten(tree)
    return {"rest": rest, **tensors}


def require_same_tree(one: dict[str, Any], other: dict[str, Any], what: str) -> None:
    """Raise ConformanceError where two trees of saved state are not equal; `what` as in `require_same`."""
    try:
        np.testing.assert_equal(leaves(one), leaves(other))
    except AssertionError as error:
        raise ConformanceError(f"{what} must be the same, bit for bit; they are not:\n{error}") from error


def poisoned(tree: dict[str, Any]) -> dict[str, Any]:
    """Return the tree with NaN in every matrix and every kernel."""

    def visit(node: Any) -> Any:
        if isinstance(node, dict):
            return {name: visit(value) for name, value in node.items()}
        if isinstance(node, np.ndarray) and node.dtype == np.float32 and node.ndim > 1:
            return np.full_like(node, np.nan)
        return node

    return visit(tree)
