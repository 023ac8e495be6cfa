"""A tree of saved state becomes named tensors plus JSON here, and comes back exactly.

A tree is nested dicts with text keys, and lists; its leaves are NumPy arrays, bytes, int, float, str, bool and None.
In the JSON an array is `{"$array": name}` and bytes are `{"$bytes": name}`, where `name` is that of a tensor.

A tree of saved state as bytes, compressed, for what waits in memory; equal trees give equal bytes.

The parts that saved a tree take it back, each value checked by one that the part saves itself.
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
from safetensors import SafetensorError
from safetensors import numpy as safetensors

from worldmodels.core.errors import FileError, shortened
from worldmodels.core.files.json_files import parse_strict
from worldmodels.core.files.yaml_files import TOO_DEEP, too_deep

Tensors = dict[str, npt.NDArray[Any]]

_INTEGERS = ("uint8", "uint16", "uint32", "uint64", "int8", "int16", "int32", "int64")
_DTYPES = ("bool", *_INTEGERS, "float16", "float32", "float64")
_RESERVED = "__metadata__"  # safetensors keeps this name for itself

LARGE = frozenset({"model", "agent", "replay"})
"""The parts that compare what they load with what they hold, and whose state takes long to save."""


def flatten(tree: Mapping[str, Any]) -> tuple[Any, Tensors]:
    """Return the tree as a JSON value and tensors by name.

    Raises:
        TypeError: something in it cannot be stored; the text names the place.
    """
    if too_deep(tree):
        raise TypeError(f"Saved state cannot be stored: {TOO_DEEP}.")
    tensors: Tensors = {}

    def visit(node: Any, where: str) -> Any:
        if node is None or type(node) in (bool, int, float, str):
            return node
        if isinstance(node, dict):
            return {_checked_key(key, where): visit(item, _join(where, key)) for key, item in node.items()}
        if isinstance(node, list):
            return [visit(item, _join(where, str(index))) for index, item in enumerate(node)]
        if isinstance(node, bytes):
            return {"$bytes": _store(tensors, where, np.frombuffer(node, np.uint8))}
        if isinstance(node, np.ndarray) and node.dtype.isnative and node.dtype.name in _DTYPES:
            # Not ascontiguousarray, which would give an array without axes one axis.
            return {"$array": _store(tensors, where, np.asarray(node, order="C"))}
        what = f"an array of {node.dtype}" if isinstance(node, np.ndarray) else f"a {type(node).__name__}"
        raise TypeError(
            f"Saved state '{where}' is {what}; it can be a dict, list, bytes, int, float, str, bool, None "
            f"or a NumPy array of {', '.join(_DTYPES)}."
        )

    return visit(tree, ""), tensors


def restore(node: Any, tensors: Tensors) -> Any:
    """Return the tree that `flatten` was given; arrays are fresh and writable.

    Raises:
        KeyError: a tensor is not there.
    """
    if isinstance(node, list):
        return [restore(item, tensors) for item in node]
    if not isinstance(node, dict):
        return node
    if "$array" in node:
        return np.array(tensors[node["$array"]])
    if "$bytes" in node:
        return tensors[node["$bytes"]].tobytes()
    return {key: restore(item, tensors) for key, item in node.items()}


def _store(tensors: Tensors, where: str, value: npt.NDArray[Any]) -> str:
    name = where
    while name in tensors or name == _RESERVED:  # {"a/b": x, "a": {"b": y}} would name both "a/b"
        name += "'"
    tensors[name] = value
    return name


def _checked_key(key: Any, where: str) -> str:
    if not isinstance(key, str) or key.startswith("$"):
        raise TypeError(f"Saved state '{where}' has the key {key!r}; keys are text that does not start with '$'.")
    return key


def _join(where: str, key: Any) -> str:
    return f"{where}/{key}" if where else str(key)


STATE = "$json"
"""The tensor that holds everything but the arrays. None of the tree's own has this name: its keys begin otherwise."""


def tree_to_bytes(tree: Mapping[str, Any]) -> bytes:
    """Return a tree (`core/files/tree.py`) as bytes: the format of safetensors, compressed as quickly as zlib can.

    Raises:
        TypeError: something in it cannot be stored; the text names the place.
    """
    state, tensors = flatten(tree)
    text = np.frombuffer(json.dumps(state).encode(), np.uint8)
    return zlib.compress(safetensors.save({STATE: text, **tensors}), 1)


def tree_from_bytes(data: bytes) -> dict[str, Any]:
    """Return the tree of which `tree_to_bytes` gave the bytes; arrays are fresh and writable.

    Raises:
        FileError: the bytes are something else.
    """
    try:
        tensors = safetensors.load(zlib.decompress(data))
        tree = restore(parse_strict(tensors.pop(STATE).tobytes(), "it", non_finite=True), tensors)
    except (zlib.error, SafetensorError, FileError, KeyError, TypeError, ValueError) as error:
        raise FileError(f"These {len(data)} bytes are no saved state: {shortened(str(error))}.") from error
    if not isinstance(tree, dict):
        raise FileError(f"These {len(data)} bytes are no saved state: they hold no tree.")
    return tree


def load_counters(loop: Any, tree: Mapping[str, Any], names: Sequence[str]) -> None:
    """Set the attributes `names` of a loop, numbers of steps and updates, to those in a tree.

    Raises:
        ValueError: one of them is no number of things.
    """
    for name in names:
        check_like(tree[name], 0, name)
        setattr(loop, name, tree[name])


def load_parts(parts: Mapping[str, Any], tree: Mapping[str, Any]) -> None:
    """Load the parts of a loop from a tree.

    Raises:
        ValueError: a value is of another kind than those that the part saves.
    """
    for name, part in parts.items():
        if name not in LARGE:
            check_like(tree[name], part.save(), name)
        part.load(tree[name])


def check_like(value: Any, like: Any, where: str) -> None:
    """Check a saved value by one that was saved by the same part, perhaps at another time.

    Raises:
        ValueError: it is of another kind, an array of another shape, or a negative number where none can be.
    """
    if isinstance(like, Mapping) and isinstance(value, Mapping):
        for key in like.keys() & value.keys():
            check_like(value[key], like[key], f"{where}/{key}")
    elif isinstance(like, np.ndarray) and isinstance(value, np.ndarray):
        same = value.dtype == like.dtype and (value.shape == like.shape or not like.size)
        _require(same, where, f"{like.dtype} {like.shape}", f"{value.dtype} {value.shape}")
    elif like is not None:
        kinds = (int, float) if type(like) is float else type(like)
        right = isinstance(value, kinds) and isinstance(value, bool) == isinstance(like, bool)
        _require(right, where, type(like).__name__, type(value).__name__)
        if type(like) is int and like >= 0:
            _require(value >= 0, where, "0 or more", str(value))


def _require(holds: bool, where: str, wanted: str, found: str) -> None:
    if not holds:
        raise ValueError(f"'{where}' must be {wanted}; it is {found}")
