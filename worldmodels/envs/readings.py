"""The space of an observation says how its arrays become images and vectors.

A layout or a scale that leaves no doubt is converted, and a note says so. Converted are channels that come first,
stacks of frames, grey images without an axis of channels, and brightness in another unit than 0 to 255. An array that
may be two things is refused with the Gymnasium wrapper that decides it.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt
from gymnasium.spaces import Box, Dict, Discrete, Graph, MultiBinary, Space
from gymnasium.spaces import Sequence as Sequences

from worldmodels.core.errors import UserError
from worldmodels.core.specs import ArraySpec, ObservationSpec
from worldmodels.envs.spaces import space_text

Array: TypeAlias = npt.NDArray[Any]

OBSERVATIONS = (
    "Observations may be uint8 images (height, width, channels), vectors of numbers in any shape, Discrete or "
    "MultiBinary ones, or a Dict of those, by name"
)
LEAST_SIDE = 16
"""A smaller array of numbers, which are no uint8 with three axes, is a vector."""
MOST_STACKED = 16
"""A stack has at most so many frames, and an image of other numbers than uint8 so many channels."""
WIDE = 32
"""No image has so many channels: two long axes are height and width."""
MOST_CHOICES = 10_000
"""One-hot vectors of Discrete observations are at most so long."""
SCALES = ((0.0, 255.0), (0.0, 1.0), (-1.0, 1.0))
"""Bounds of brightness, as images have them."""


class AxisOrder(NamedTuple):
    """The order in which the axes of an array are height, width and channels; several of channels become one."""

    axes: tuple[int, ...]
    note: str = ""
    """A clause for people; "" for an array that stays as it is."""

    def shape(self, shape: Sequence[int]) -> tuple[int, int, int]:
        """Return height, width and channels of an array."""
        height, width, *channels = (shape[axis] for axis in self.axes)
        return height, width, math.prod(channels)

    def __call__(self, arrays: Array) -> Array:
        """Return images (N, H, W, C)."""
        ordered = arrays.transpose(0, *(axis + 1 for axis in self.axes))
        return np.ascontiguousarray(ordered).reshape(len(arrays), *self.shape(arrays.shape[1:]))


LAST = AxisOrder((0, 1, 2))
FIRST = AxisOrder((1, 2, 0), "their channels come first")
GREY = AxisOrder((0, 1), "they are grey without an axis of channels")
STACKED = {
    LAST: AxisOrder((1, 2, 0, 3), "the frames of a stack become channels, the oldest first"),
    FIRST: AxisOrder((2, 3, 0, 1), "the frames of a stack become channels, the oldest first"),
}


class PartReading(NamedTuple):
    """This reading makes images or vectors of the arrays of a part of an observation."""

    space: Space[Any]
    spec: ArraySpec
    convert: Callable[[Array], Array]
    """Returns arrays (N, *spec.shape) of arrays (N, ...)."""
    note: str = ""
    """A clause about the conversion; "" if there is none."""


class ObservationReading:
    """This reading makes images and vectors of the observations of a space.

    Args:
        name: of the environment, for people.

    Raises:
        UserError: the space, or a part of it, is of another kind, or may be two things.
    """

    def __init__(self, space: Space[Any], name: str) -> None:
        parts: dict[str, Space[Any]] = {"": space}
        if isinstance(space, Dict):
            parts = dict(space.spaces)
            if not parts or not all(isinstance(key, str) and key for key in parts):
                raise UserError(
                    f"'{name}' has the observations {space_text(space)}, with parts {list(parts)}. {OBSERVATIONS}."
                )
        self._parts = {key: read_part(part, name, key) for key, part in parts.items()}
        self.spec = ObservationSpec(tuple((key, part.spec) for key, part in self._parts.items()))
        self.notes = tuple(
            f"'{name}': {_where(key)} {space_text(parts[key])} are read as {part.note}."
            for key, part in self._parts.items()
            if part.note
        )
        """Whole sentences, one for each part that is converted."""

    def part(self, key: str) -> PartReading:
        """Return how a part is read; the name "" is that of an observation which is an array."""
        return self._parts[key]

    def __call__(self, observations: Any) -> Any:
        """Return the observations (N, ...) of a batch of the space as `spec` says."""
        arrays = self.spec.arrays(observations)
        return self.spec.pack({key: self._parts[key].convert(np.asarray(array)) for key, array in arrays.items()})


def read_bytes(shape: tuple[int, ...], name: str) -> PartReading:
    """Return how arrays uint8 (N, *shape) of a file, whose bounds nothing tells, are read; raises as above."""
    return read_part(Box(0, 255, shape, np.uint8), name, "")


def read_part(space: Space[Any], name: str, key: str) -> PartReading:
    """Return how a part of an observation is read; raises as `ObservationReading`."""
    kind = getattr(space.dtype, "kind", "") if isinstance(space, Box) else ""
    shape = space.shape or ()
    if isinstance(space, Box) and kind in ("f", "i", "u", "b") and 0 not in shape:
        layout, doubt = _layout_of(space)
        if doubt:
            raise UserError(f"'{name}' has {_where(key)} {space_text(space)}. {doubt}")
        return _image(space, layout) if layout else PartReading(space, ArraySpec((math.prod(shape),)), _flat)
    if isinstance(space, MultiBinary):
        count = math.prod(shape)
        return PartReading(space, ArraySpec((count,)), _flat, f"vectors of {count} numbers, 0 or 1")
    if isinstance(space, Discrete) and space.n <= MOST_CHOICES:
        return _one_hot(space)
    helps = "TransformObservation" if isinstance(space, (Discrete, Graph, Sequences)) else "FlattenObservation"
    raise UserError(
        f"'{name}' has {_where(key)} {space_text(space)}. {OBSERVATIONS}. Gymnasium's wrapper {helps} makes numbers of "
        "others."
    )


def _where(key: str) -> str:
    return f"the part '{key}' of its observations" if key else "the observations"


def _flat(arrays: Array) -> Array:
    return arrays.reshape(len(arrays), -1).astype(np.float32)


def _one_hot(space: Discrete[Any]) -> PartReading:
    count, start = int(space.n), int(space.start)

    def convert(arrays: Array) -> Array:
        hot: Array = arrays.reshape(-1, 1) - start == np.arange(count)
        return hot.astype(np.float32)

    return PartReading(space, ArraySpec((count,)), convert, f"one-hot vectors of {count} numbers")


def _layout_of(space: Box) -> tuple[AxisOrder | None, str]:
    """Return the layout of an image, or None for a vector; and a sentence where it may be two things."""
    layout, doubt = _axes(space.shape)
    is_byte = space.dtype == np.uint8
    if is_byte and len(space.shape) == 3:
        return layout, doubt
    height, width, channels = layout.shape(space.shape) if layout else (0, 0, 0)
    if min(height, width) < LEAST_SIDE or channels > MOST_STACKED:
        return None, ""
    bounds = _bounds(space)
    if bounds == SCALES[0] or (bounds in SCALES and not is_byte and layout is not GREY):
        return layout, ""
    # Two axes of so narrow bounds may be anything: windows of prices, neighbours in a graph.
    if layout is GREY:
        return None, NO_CHANNELS * (bounds in SCALES and not is_byte and height == width >= WIDE)
    unbounded = bounds is not None and not np.isfinite(bounds).all()
    return None, NO_BOUNDS * (unbounded and min(height, width) >= WIDE)


NO_CHANNELS = (
    "They may be images without an axis of channels, or vectors. Gymnasium's wrapper ReshapeObservation gives images "
    "the shape (height, width, 1), and FlattenObservation makes vectors."
)
NO_BOUNDS = (
    "Images need the bounds of their brightness, 0 to 255 or 0 to 1. Gymnasium's wrapper NormalizeObservation takes "
    "the bounds away: leave it out, or let TransformObservation give a space with bounds. FlattenObservation makes "
    "vectors."
)
NO_ORDER = (
    "They may be images whose channels come first, or last. Gymnasium's wrapper TransformObservation, with "
    "numpy.moveaxis(image, 0, -1), puts channels last; FlattenObservation makes vectors."
)


def _axes(shape: Sequence[int]) -> tuple[AxisOrder | None, str]:
    """Return the layout that a shape alone speaks for, and a sentence where there are two."""
    if len(shape) == 2:
        return GREY, ""
    if len(shape) == 4 and shape[0] <= MOST_STACKED:
        inner, _ = _axes(shape[1:])
        fits = inner is not None and inner.shape(shape[1:])[2] in (1, 3, 4)
        return (STACKED[inner] if inner and fits else None), ""
    if len(shape) != 3:
        return None, ""
    first, middle, last = shape
    if last <= 4 or first >= min(middle, last):
        return LAST, ""
    if first <= MOST_STACKED and min(middle, last) >= WIDE:
        return FIRST, ""
    in_doubt = middle == last or first in (1, 3, 4) or min(middle, last) >= WIDE
    return (None, NO_ORDER) if in_doubt else (LAST, "")


def _bounds(space: Box) -> tuple[float, float] | None:
    """Return the bounds that all numbers of a space share; None if they differ."""
    low, high = float(space.low.flat[0]), float(space.high.flat[0])
    return (low, high) if (space.low == low).all() and (space.high == high).all() else None


def _image(space: Box, layout: AxisOrder) -> PartReading:
    height, width, channels = layout.shape(space.shape)
    brightness, scale = _brightness(space)
    notes = [note for note in (layout.note, scale) if note]
    counted = f"{channels} channel{'s' * (channels != 1)}"
    note = f"images of {height} x {width} pixels with {counted}: {'; '.join(notes)}" if notes else ""

    def convert(arrays: Array) -> Array:
        return layout(brightness(arrays))

    plain = layout is LAST and brightness is _unchanged
    return PartReading(space, ArraySpec((height, width, channels)), _unchanged if plain else convert, note)


def _unchanged(arrays: Array) -> Array:
    return arrays


def _brightness(space: Box) -> tuple[Callable[[Array], Array], str]:
    """Return how the numbers of images become uint8, 0 to 255, and a clause about it."""
    if space.dtype == np.uint8:
        high = int(space.high.max())
        if high in (0, 255):
            return _unchanged, ""
        table = np.rint(np.minimum(np.arange(256), high) * (255 / high)).astype(np.uint8)
        return (lambda arrays: table[arrays]), f"brightness from 0 to {high} becomes 0 to 255"
    low, high_number = _bounds(space) or SCALES[0]

    def scaled(arrays: Array) -> Array:
        fraction = (arrays.astype(np.float32) - low) / (high_number - low)
        brightness: Array = np.rint(255 * np.clip(fraction, 0, 1))
        return brightness.astype(np.uint8)

    return scaled, f"{space.dtype} from {low:g} to {high_number:g} becomes uint8 from 0 to 255"
