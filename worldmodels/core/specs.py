"""What an environment shows and what it takes, as everybody but `envs` knows it.

Models, agents, replay, evaluator and player read these and no Gymnasium space. An observation of one part is an array,
and one of several is a dictionary of arrays, so that a game of images alone pays for nothing else.

One letter per axis: N rows, D numbers, H height, W width, C channels.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from worldmodels.core.errors import ConfigError, UserError

Observation: TypeAlias = "npt.NDArray[Any] | dict[str, npt.NDArray[Any]]"
"""Leading N: an array, or arrays by the names of their parts."""


@dataclass(frozen=True)
class ArraySpec:
    """A part of an observation: an image, uint8 (H, W, C), or a vector, float32 (D,)."""

    shape: tuple[int, ...]

    @property
    def is_image(self) -> bool:
        return len(self.shape) == 3

    @property
    def dtype(self) -> np.dtype[Any]:
        return np.dtype(np.uint8 if self.is_image else np.float32)

    @property
    def size(self) -> int:
        """Return the count of numbers."""
        return math.prod(self.shape)

    def __str__(self) -> str:
        kind = "image" if self.is_image else "vector"
        return f"{kind} {self.dtype} ({', '.join(map(str, self.shape))}{',' * (len(self.shape) == 1)})"


@dataclass(frozen=True)
class ObservationSpec:
    """What an environment shows.

    Args:
        parts: the arrays in a fixed order, each with its name; the only one of an observation that is an array has the
            name "".
    """

    parts: tuple[tuple[str, ArraySpec], ...]

    def __post_init__(self) -> None:
        names = [name for name, _ in self.parts]
        if not names or len(set(names)) < len(names) or ("" in names and len(names) > 1):
            raise ConfigError(
                "An observation has one part without a name, or parts with different names. Received "
                f"{', '.join(map(repr, names)) or 'none'}."
            )

    @classmethod
    def of(cls, *shape: int) -> ObservationSpec:
        """Return the spec of a single array: an image of `shape` (H, W, C), or a vector of `shape` (D,)."""
        return cls((("", ArraySpec(shape)),))

    @property
    def only(self) -> ArraySpec | None:
        """Return the spec of an observation that is an array; None where it is a dictionary."""
        return self.parts[0][1] if self.parts[0][0] == "" else None

    @property
    def images(self) -> tuple[str, ...]:
        """Return the names of the parts that are images."""
        return tuple(name for name, part in self.parts if part.is_image)

    @property
    def vectors(self) -> tuple[str, ...]:
        """Return the names of the parts that are vectors."""
        return tuple(name for name, part in self.parts if not part.is_image)

    @property
    def bytes(self) -> int:
        """Return the bytes of one observation."""
        return sum(part.size * part.dtype.itemsize for _, part in self.parts)

    def arrays(self, observation: Any) -> dict[str, Any]:
        """Return the arrays of an observation by the names of their parts, in order."""
        return {"": observation} if self.only else {name: observation[name] for name, _ in self.parts}

    def pack(self, arrays: Mapping[str, Any]) -> Any:
        """Return the observation of arrays by the names of their parts."""
        return arrays[""] if self.only else {name: arrays[name] for name, _ in self.parts}

    def to_bytes(self, observation: Any) -> npt.NDArray[np.uint8]:
        """Return the bytes of observations with leading axes, uint8 (..., bytes); of one array without a copy."""
        rows = []
        for name, array in self.arrays(observation).items():
            leading = array.shape[: array.ndim - len(self._part(name).shape)]
            rows.append(np.ascontiguousarray(array).reshape(*leading, -1).view(np.uint8))
        return rows[0] if len(rows) == 1 else np.concatenate(rows, -1)

    def from_bytes(self, rows: npt.NDArray[np.uint8]) -> Any:
        """Return the observations whose bytes are `rows`, uint8 (..., bytes)."""
        arrays, start = {}, 0
        for name, part in self.parts:
            stop = start + part.size * part.dtype.itemsize
            piece = np.ascontiguousarray(rows[..., start:stop]).view(part.dtype)
            arrays[name], start = piece.reshape(*rows.shape[:-1], *part.shape), stop
        return self.pack(arrays)

    def check(self, observation: Any, *leading: int) -> None:
        """Raise UserError unless an observation has the shapes and types of this spec behind leading axes."""
        names = [name for name, _ in self.parts]
        given = {"": observation} if self.only else observation
        if not isinstance(given, Mapping) or set(given) != set(names):
            keys = sorted(map(str, given)) if isinstance(given, Mapping) else type(given).__name__
            raise UserError(f"An observation must hold the parts {names}; received {keys}.")
        for name, part in self.parts:
            array, wanted = given[name], (*leading, *part.shape)
            if array.shape != wanted or array.dtype != part.dtype:
                what = f"the part '{name}' of its observations" if name else "observations"
                raise UserError(
                    f"A step must have {what} of shape {wanted} and type {part.dtype}; received shape {array.shape} "
                    f"and type {array.dtype}."
                )

    def zeros(self, *leading: int) -> Any:
        """Return an observation of zeros with leading axes."""
        return self.pack({name: np.zeros((*leading, *part.shape), part.dtype) for name, part in self.parts})

    def _part(self, name: str) -> ArraySpec:
        return dict(self.parts)[name]

    def __str__(self) -> str:
        return ", ".join(f"{name}: {part}" if name else str(part) for name, part in self.parts)


@dataclass(frozen=True)
class ActionSpec:
    """What an environment takes: one of `count` choices, int32 (), or a point of a box, float32 (size,) in [-1, 1].

    Whoever steps the environment scales a box from -1 to 1 to its own bounds; what lies outside is clipped there.
    """

    count: int = 0
    """Number of choices, 0 to `count` - 1; 0 for a box."""
    low: tuple[float, ...] = ()
    """The environment's own lower bound of each number of a box."""
    high: tuple[float, ...] = ()

    def __post_init__(self) -> None:
        if (self.count > 0) == bool(self.low) or len(self.low) != len(self.high) or self.count < 0:
            raise ConfigError(
                "Actions are one of 1 or more choices, or numbers with a lower and an upper bound each. Received "
                f"{self.count} choices, lower bounds {list(self.low)} and upper bounds {list(self.high)}."
            )

    @property
    def is_discrete(self) -> bool:
        return self.count > 0

    @property
    def size(self) -> int:
        """Return the number of numbers of a box."""
        return len(self.low)

    @property
    def shape(self) -> tuple[int, ...]:
        """Return the shape of one action."""
        return () if self.is_discrete else (self.size,)

    @property
    def dtype(self) -> np.dtype[Any]:
        return np.dtype(np.int32 if self.is_discrete else np.float32)

    @property
    def width(self) -> int:
        """Return how many numbers an action is where a network reads it: choices as a one-hot vector."""
        return self.count or self.size

    def random(self, rows: int, generator: np.random.Generator) -> npt.NDArray[Any]:
        """Return uniformly random actions (N, *shape)."""
        if self.is_discrete:
            return generator.integers(self.count, size=rows, dtype=np.int32)
        return generator.uniform(-1.0, 1.0, (rows, self.size)).astype(np.float32)

    def zeros(self, *leading: int) -> npt.NDArray[Any]:
        """Return actions of zeros with leading axes."""
        return np.zeros((*leading, *self.shape), self.dtype)

    def __str__(self) -> str:
        return f"one of {self.count} choices" if self.is_discrete else f"a box of {self.size} numbers"
