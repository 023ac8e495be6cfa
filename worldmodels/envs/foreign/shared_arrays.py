"""Arrays in memory that a process shares with the processes it starts."""

from __future__ import annotations

import math
from collections.abc import Mapping
from multiprocessing.context import SpawnContext
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

Layout: TypeAlias = tuple[tuple[int, ...], npt.DTypeLike]
"""Shape and type."""


class SharedArrays:
    """Named arrays of zeros, which a process can receive only when it is started."""

    def __init__(self, context: SpawnContext, layouts: Mapping[str, Layout]) -> None:
        self._layouts = dict(layouts)
        self._blocks = {
            name: context.RawArray("b", math.prod(shape) * np.dtype(dtype).itemsize)
            for name, (shape, dtype) in layouts.items()
        }

    def views(self, rows: slice = slice(None)) -> dict[str, npt.NDArray[Any]]:
        """Return rows of all arrays; what is written into them is seen by all processes."""
        return {
            name: np.frombuffer(self._blocks[name], dtype).reshape(shape)[rows]
            for name, (shape, dtype) in self._layouts.items()
        }
