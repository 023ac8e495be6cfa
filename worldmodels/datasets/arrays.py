"""The layout of a data set as named arrays, which npz and HDF5 files share.

    observation, or observation/NAME    (T, N, H, W, C) uint8 or (T, N, D) float32; `envs/readings.py` says which other
                                        layouts of images are read
    reward                              (T, N) float32
    is_first, is_last, is_terminal      (T, N) bool
    action                              (T, N) int32, or (T, N, D) float32 from -1 to 1
    action_choices                      () int64, the number of choices; or
    action_low, action_high             (D,) float64, the environment's bounds of a box

T steps of N streams, each a `Step` of `core/types.py`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from worldmodels.core.errors import FileError, UserError
from worldmodels.core.specs import ActionSpec, ArraySpec, ObservationSpec
from worldmodels.core.types import Batch
from worldmodels.datasets.source import DatasetSpec, StreamCheck
from worldmodels.envs.readings import PartReading, read_bytes

Array = npt.NDArray[Any]
Shapes = Mapping[str, tuple[tuple[int, ...], np.dtype[Any]]]

MOST_COMPRESSION = 1100
"""The factor by which deflate can compress at most is 1032: an array that claims to be larger has been forged."""
FLAGS = ("is_first", "is_last", "is_terminal")
BOUNDS = ("action_low", "action_high")


class ArrayFile(Protocol):
    """An open file of named arrays."""

    @property
    def shapes(self) -> Shapes:
        """Return the shape and the type of each array, in their order in the file; nothing of them is read."""

    def blocks(self, name: str, pieces: Iterator[range]) -> Iterator[Array]:
        """Yield consecutive parts of an array along its first axis; raises FileError where it is damaged."""

    def whole(self, name: str) -> Array:
        """Return a small array; raises FileError where it is damaged."""

    def close(self) -> None: ...


class ArraySource:
    """The steps in a file of named arrays; see `Source`.

    Raises:
        FileError: arrays are missing, unknown, or of shapes and types that do not fit together.
    """

    def __init__(self, file: ArrayFile, name: str) -> None:
        self._file, self._name = file, name
        try:
            self._readings = _image_readings(file.shapes)
            self.spec = _dataset_spec(file, self._readings)
        except UserError as error:
            file.close()
            raise FileError(f"{name} holds no data set: {error}") from error
        readings = self._readings.items()
        self.notes = tuple(f"{name}: '{part}' is read as {read.note}." for part, read in readings if read.note)

    def pieces(self) -> Iterator[Batch]:
        spec = self.spec
        check = StreamCheck(self._name, spec.num_streams, spec.observation, spec.action)
        names = list(step_arrays(spec))
        for blocks in zip(*(self._file.blocks(name, spec.pieces) for name in names), strict=True):
            found = dict(zip(names, (np.swapaxes(block, 0, 1) for block in blocks), strict=True))
            seen = {part: self._read(array_name(part), found) for part, _ in spec.observation.parts}
            yield check(Batch(observation=spec.observation.pack(seen), **found))

    def close(self) -> None:
        self._file.close()

    def _read(self, name: str, found: dict[str, Array]) -> Array:
        """Take an array of observations (N, t, ...) out of `found`; return it in the layout of the spec."""
        array, reading = found.pop(name), self._readings.get(name)
        if reading is None:
            return array
        converted = reading.convert(array.reshape(-1, *array.shape[2:]))
        return converted.reshape(*array.shape[:2], *reading.spec.shape)


def array_name(part: str) -> str:
    """Return the name of the array that holds a part of the observation."""
    return f"observation/{part}" if part else "observation"


def step_arrays(spec: DatasetSpec) -> dict[str, tuple[tuple[int, ...], np.dtype[Any]]]:
    """Return shape and type of each array that holds steps."""
    leading = (spec.length, spec.num_streams)
    parts = {array_name(name): ((*leading, *part.shape), part.dtype) for name, part in spec.observation.parts}
    flags = {name: (leading, np.dtype(bool)) for name in FLAGS}
    action = {"action": ((*leading, *spec.action.shape), spec.action.dtype)}
    return {**parts, "reward": (leading, np.dtype(np.float32)), **flags, **action}


def action_arrays(action: ActionSpec) -> dict[str, Array]:
    """Return the arrays that say what an action is."""
    if action.is_discrete:
        return {"action_choices": np.array(action.count, np.int64)}
    return {"action_low": np.array(action.low), "action_high": np.array(action.high)}


def piece_arrays(piece: Batch, observation: ObservationSpec) -> dict[str, Array]:
    """Return the arrays (t, N, ...) of a piece (N, t, ...)."""
    seen = {array_name(name): values for name, values in observation.arrays(piece.observation).items()}
    rest = {name: getattr(piece, name) for name in ("reward", *FLAGS, "action")}
    return {name: np.ascontiguousarray(np.swapaxes(values, 0, 1)) for name, values in (seen | rest).items()}


def _observed(shapes: Shapes) -> list[str]:
    return [name for name in shapes if name == "observation" or name.startswith("observation/")]


def _image_readings(shapes: Shapes) -> dict[str, PartReading]:
    """Return how the arrays of uint8 images are read, by their names. Raises UserError if their layout is in doubt."""
    found = {
        name: read_bytes(shapes[name][0][2:], name)
        for name in _observed(shapes)
        if shapes[name][1] == np.uint8 and len(shapes[name][0]) > 3 and 0 not in shapes[name][0]
    }
    return {name: reading for name, reading in found.items() if reading.spec.is_image}


def _dataset_spec(file: ArrayFile, images: Mapping[str, PartReading]) -> DatasetSpec:
    shapes = file.shapes
    parts = _observed(shapes)
    told = [name for name in ("action_choices", *BOUNDS) if name in shapes]
    if not parts or told not in (["action_choices"], [*BOUNDS]):
        raise FileError(
            "it needs 'observation' or 'observation/NAME', and either 'action_choices' or both 'action_low' and "
            f"'action_high'. Received {_listed(shapes)}."
        )
    leading = shapes[parts[0]][0][:2]
    if len(shapes.get("reward", ((0, 0),))[0]) == 1:
        raise FileError(
            "each array must have an axis of streams behind that of steps; 'reward' must be of shape (steps, streams). "
            f"Received {shapes['reward'][0]}. One stream alone is array[:, None] of each."
        )
    if len(leading) < 2:
        raise FileError(f"'{parts[0]}' must be of shape (steps, streams, ...). Received {shapes[parts[0]][0]}.")
    specs = [images[name].spec if name in images else ArraySpec(shapes[name][0][2:]) for name in parts]
    named = [name.removeprefix("observation").removeprefix("/") for name in parts]
    observation = ObservationSpec(tuple(zip(named, specs, strict=True)))
    spec = DatasetSpec(leading[1], leading[0], observation, _action_spec(file, told))
    stored = {name: ((*leading, *shapes[name][0][2:]), np.dtype(np.uint8)) for name in images}
    wanted = step_arrays(spec) | stored
    if set(shapes) != {*wanted, *told}:
        raise FileError(f"it must hold {_listed([*wanted, *told])}. Received {_listed(shapes)}.")
    for name, (shape, dtype) in wanted.items():
        if shapes[name] != (shape, dtype):
            found, kind = shapes[name]
            raise FileError(f"'{name}' must be of shape {shape} and type {dtype}. Received {found} and {kind}.")
    return spec


def _action_spec(file: ArrayFile, told: list[str]) -> ActionSpec:
    for name in told:
        shape, dtype = file.shapes[name]
        if dtype.kind not in ("iu" if name == "action_choices" else "f") or len(shape) != (name != "action_choices"):
            kind = "one integer" if name == "action_choices" else "floats of shape (numbers,)"
            raise FileError(f"'{name}' must be {kind}. Received shape {shape} and type {dtype}.")
        if np.prod(shape) > 10_000:
            raise FileError(f"'{name}' must have at most 10,000 numbers. Received {shape[0]:,}.")
    values = [file.whole(name) for name in told]
    if len(values) == 1:
        return ActionSpec(int(values[0]))
    low, high = values
    if low.shape != high.shape or not (np.isfinite(low) & np.isfinite(high) & (low < high)).all():
        raise FileError("'action_low' must be below 'action_high' everywhere, and both finite.")
    return ActionSpec(0, *(tuple(bound.astype(float).tolist()) for bound in values))


def _listed(names: Any) -> str:
    return ", ".join(repr(name) for name in list(names)[:20]) or "nothing"
