"""Values of Python and NumPy that stand in the attributes of environments, as trees that checkpoints can hold."""

from __future__ import annotations

from collections import deque
from typing import Any

import numpy as np

from worldmodels.core.errors import UserError

PLAIN = (bool, int, float, str, bytes, np.ndarray)


def value_tree(value: Any) -> Any:
    """Return a value as a tree from which `tree_value` makes the same, of the same types.

    Values are None, numbers, texts, bytes, NumPy's arrays, scalars and generators, and lists, tuples, deques and
    dictionaries of those with texts as keys.

    Raises:
        UserError: it is something else.
    """
    if value is None or type(value) in PLAIN:
        return value
    if isinstance(value, np.generic):
        return {"scalar": np.asarray(value)}
    if type(value) in (list, tuple):
        return {type(value).__name__: [value_tree(item) for item in value]}
    if type(value) is deque:
        return {"deque": [value_tree(item) for item in value], "maxlen": value.maxlen}
    if type(value) is dict:
        return {"dict": {key: value_tree(item) for key, item in value.items()}}
    if isinstance(value, np.random.Generator):
        return {"generator": dict(value.bit_generator.state)}
    if isinstance(value, np.random.RandomState):
        return {"random_state": dict(value.get_state(legacy=False))}
    raise UserError(f"It holds a {type(value).__name__}, which cannot be saved.")


def tree_value(tree: Any) -> Any:
    """Return the value from a tree of `value_tree`. Raises `KeyError`, `TypeError` or `ValueError` for others."""
    if not isinstance(tree, dict):
        return tree
    kind, content = next(iter(tree.items()))
    if kind == "scalar":
        return content[()]
    if kind in ("list", "tuple"):
        return (list if kind == "list" else tuple)(tree_value(item) for item in content)
    if kind == "deque":
        return deque((tree_value(item) for item in content), tree["maxlen"])
    if kind == "dict":
        return {key: tree_value(item) for key, item in content.items()}
    if kind == "random_state":
        random = np.random.RandomState()
        random.set_state(content)
        return random
    return _generator(content)


def _generator(state: dict[str, Any]) -> np.random.Generator:
    kinds = (np.random.PCG64, np.random.PCG64DXSM, np.random.MT19937, np.random.Philox, np.random.SFC64)
    bits: Any = {kind.__name__: kind for kind in kinds}[state["bit_generator"]]()  # Any: the stubs want a TypedDict
    bits.state = state
    return np.random.Generator(bits)
