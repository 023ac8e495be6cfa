"""Specs say what an environment shows and what it takes, as everybody but `envs` knows it.

Models, agents, replay, evaluator and player read these and no Gymnasium space. An observation of one part is an array,
and one of several is a dictionary of arrays, so that a game of images alone pays for nothing else.

One letter per axis: N rows, D numbers, H height, W width, C channels.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

import numpy as np
import numpy.typing as npt

from worldmodels.core.errors import ConfigError, UserError

Observation: TypeAlias = "npt.NDArray[Any] | dict[str, npt.NDArray[Any]]"
"""Leading N: an array, or arrays by the names of their parts."""


ActionKind: TypeAlias = Literal["discrete", "box"]


@dataclass(frozen=True)
class ArraySpec:
    """A part of an observation: an image, uint8 (H, W, C), or a vector, float32 (D,)."""

    shape: tuple[int, ...]

    def __post_init__(self) -> None:
        if len(self.shape) not in (1, 3) or min(self.shape) < 1:
            raise ConfigError(
                "A part of an observation is an image of shape (height, width, channels) or a vector of shape "
                f"(numbers,), with 1 or more of each. Received {self.shape}."
            )

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

    @property
    def bytes(self) -> int:
        """Return the bytes of all numbers."""
        return self.size * self.dtype.itemsize

    def __str__(self) -> str:
        kind = "image" if self.is_image else "vector"
        return f"{kind} {self.dtype} ({', '.join(map(str, self.shape))}{',' * (len(self.shape) == 1)})"


@dataclass(frozen=True)
class ObservationSpec:
    """The spec of everything that an environment shows at once.

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

    def matching(self, pattern: str) -> ObservationSpec:
        """Return the spec of the parts whose whole names fit a regular expression; raises ConfigError for none."""
        parts = tuple((name, part) for name, part in self.parts if re.fullmatch(pattern, name))
        if not parts:
            names = ", ".join(repr(name) for name, _ in self.parts)
            raise ConfigError(f"A pattern must fit parts of the observation, {names}. Received '{pattern}'.")
        return ObservationSpec(parts)

    @property
    def bytes(self) -> int:
        """Return the bytes of one observation."""
        return sum(part.bytes for _, part in self.parts)

    def arrays(self, observation: Any) -> dict[str, Any]:
        """Return the arrays of an observation by the names of their parts, in order."""
        return {"": observation} if self.only else {name: observation[name] for name, _ in self.parts}

    def pack(self, arrays: Mapping[str, Any]) -> Any:
        """Return the observation of arrays by the names of their parts."""
        return arrays[""] if self.only else {name: arrays[name] for name, _ in self.parts}

    def to_bytes(self, observation: Any) -> npt.NDArray[np.uint8]:
        """Return the bytes of observations with leading axes, uint8 (..., bytes); of one array without a copy."""
        if self.only:
            return _to_bytes(observation, self.only)
        return np.concatenate([_to_bytes(observation[name], part) for name, part in self.parts], -1)

    def from_bytes(self, rows: npt.NDArray[np.uint8]) -> Any:
        """Return the observations whose bytes are `rows`, uint8 (..., bytes); of one array without a copy."""
        if self.only:
            return _from_bytes(rows, self.only)
        arrays, start = {}, 0
        for name, part in self.parts:
            arrays[name] = _from_bytes(rows[..., start : start + part.bytes], part)
            start += part.bytes
        return arrays

    def check(self, observation: Any, *leading: int) -> None:
        """Raise UserError unless an observation has the shapes and types of this spec behind leading axes."""
        if self.only:
            _check_array(observation, "observations", (*leading, *self.only.shape), self.only.dtype)
            return
        names = [name for name, _ in self.parts]
        if not isinstance(observation, Mapping) or set(observation) != set(names):
            keys = sorted(map(str, observation)) if isinstance(observation, Mapping) else type(observation).__name__
            raise UserError(f"A step must have observations of the parts {names}; received {keys}.")
        for name, part in self.parts:
            what = f"the part '{name}' of its observations"
            _check_array(observation[name], what, (*leading, *part.shape), part.dtype)

    def zeros(self, *leading: int) -> Any:
        """Return an observation of zeros with leading axes."""
        return self.pack({name: np.zeros((*leading, *part.shape), part.dtype) for name, part in self.parts})

    def __str__(self) -> str:
        return ", ".join(f"{name}: {part}" if name else str(part) for name, part in self.parts)


@dataclass(frozen=True)
class ActionSpec:
    """The spec of an action: one of `count` choices, int32 (), or a point of a box, float32 (size,) in [-1, 1].

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
    def kind(self) -> ActionKind:
        return "discrete" if self.is_discrete else "box"

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
        if self.is_discrete:
            return f"one of {self.count} choices"
        bounds = [f"{low:g} to {high:g}" for low, high in zip(self.low, self.high, strict=True)]
        return f"a box of {self.size} numbers from {', '.join(bounds if len(set(bounds)) > 1 else bounds[:1])}"


def _to_bytes(array: npt.NDArray[Any], part: ArraySpec) -> npt.NDArray[np.uint8]:
    leading = array.shape[: array.ndim - len(part.shape)]
    return np.ascontiguousarray(array).reshape(*leading, part.size).view(np.uint8)


def _from_bytes(rows: npt.NDArray[np.uint8], part: ArraySpec) -> npt.NDArray[Any]:
    return np.ascontiguousarray(rows).view(part.dtype).reshape(*rows.shape[:-1], *part.shape)


def _check_array(array: Any, what: str, shape: tuple[int, ...], dtype: np.dtype[Any]) -> None:
    if not isinstance(array, np.ndarray):
        raise UserError(f"A step must have {what} of shape {shape} and type {dtype}; received {type(array).__name__}.")
    if array.shape != shape or array.dtype != dtype:
        raise UserError(
            f"A step must have {what} of shape {shape} and type {dtype}; received shape {array.shape} and type "
            f"{array.dtype}."
        )
