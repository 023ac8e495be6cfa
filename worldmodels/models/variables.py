"""Variables of layers are named, saved and loaded."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import keras
import numpy as np
import tensorflow as tf

from worldmodels.core.errors import CheckpointError


def named_variables(layers: Iterable[keras.layers.Layer]) -> dict[str, tf.Variable]:
    """Return the trainable variables of layers by path, such as `encoder/conv_1/kernel`, in construction order."""
    return {weight.path: weight.value for layer in layers for weight in layer.trainable_weights}


def save_variables(variables: Mapping[str, tf.Variable]) -> dict[str, Any]:
    """Return copies of the values as a flat tree of NumPy arrays."""
    return {name: np.asarray(variable) for name, variable in variables.items()}


def load_variables(variables: Mapping[str, tf.Variable], tree: Mapping[str, Any], what: str) -> None:
    """Assign a tree of `save_variables`; all names and shapes are compared before anything is assigned.

    Raises:
        CheckpointError: they differ; `what` names the owner in the text.
    """
    missing, surplus = sorted(variables.keys() - tree.keys()), sorted(tree.keys() - variables.keys())
    if missing or surplus:
        raise CheckpointError(
            f"The checkpoint does not fit {what}: the checkpoint lacks {_listing(missing)}, "
            f"and has {_listing(surplus)} that {what} lacks. It was written with another configuration."
        )
    for name, variable in variables.items():
        found, expected = np.shape(tree[name]), tuple(variable.shape)
        if found != expected:
            raise CheckpointError(
                f"The checkpoint does not fit {what}: '{name}' has shape {found} in the checkpoint "
                f"and {expected} in {what}. It was written with another configuration."
            )
    for name, variable in variables.items():
        variable.assign(np.asarray(tree[name], variable.dtype.as_numpy_dtype))  # a pack has 16 bits for each number


def read_values(variables: Sequence[tf.Variable]) -> list[np.ndarray]:
    """Return copies of the values; a quarter of the time of `variable.numpy()`, and `assign_values` of `assign`."""
    return [tf.raw_ops.ReadVariableOp(resource=one.handle, dtype=one.dtype).numpy() for one in variables]


def assign_values(variables: Sequence[tf.Variable], values: Sequence[np.ndarray]) -> None:
    """Assign values that `read_values` returned for the same variables in another process; nothing is compared."""
    for variable, value in zip(variables, values, strict=True):
        tf.raw_ops.AssignVariableOp(resource=variable.handle, value=value)


def _listing(names: list[str]) -> str:
    shown = ", ".join(f"'{name}'" for name in names[:3]) or "nothing"
    return shown + (f" and {len(names) - 3} more" if len(names) > 3 else "")
