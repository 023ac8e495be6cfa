"""Rows of a model's state: a nest (dicts, tuples, named tuples) of arrays whose first axis counts worlds."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[Any]


def repeat_row(state: Any, rows: int) -> Any:
    """The one world of `state`, `rows` times."""
    return _each(state, lambda x: np.repeat(x, rows, 0))


def _each(nest: Any, change: Callable[[Array], Array]) -> Any:
    if isinstance(nest, dict):
        return {name: _each(part, change) for name, part in nest.items()}
    if isinstance(nest, tuple):
        parts = [_each(part, change) for part in nest]
        return type(nest)(*parts) if hasattr(nest, "_fields") else tuple(parts)
    return change(np.asarray(nest))
