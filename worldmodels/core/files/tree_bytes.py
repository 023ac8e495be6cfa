"""A tree of saved state as bytes, compressed, for what waits in memory; equal trees give equal bytes."""

from __future__ import annotations

import json
import zlib
from collections.abc import Mapping
from typing import Any

import numpy as np
from safetensors import SafetensorError
from safetensors import numpy as safetensors

from worldmodels.core.errors import FileError
from worldmodels.core.files.json_files import parse_strict
from worldmodels.core.files.tree import flatten, restore
from worldmodels.core.lookup import shortened

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
