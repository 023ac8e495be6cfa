"""The shape of a store on disk, and the small header file that says it.

A store is a folder. It holds `store.json` (this header) and two files for each chunk, a range of consecutive steps of
all streams. `00000012.frames` receives the compressed frames of each step, stream after stream. `00000012.steps` then
receives one row of records. The second file is the truth: a step exists when its row does. The rows say where each
frame ends, so that a window of one stream is read without the rest.

Frames are compressed in blocks (see `codec`), because a frame resembles those before it. Longer blocks take less disk:
of CoinRun's raw frames a tenth, a fifteenth and a twenty-second in blocks of 8, 16 and 32. But a window reads whatever
is before it in its block, and with 32 that takes a quarter longer.

Everything has a checksum (CRC-32): the header; each row, with the numbers of its chunk and of itself; and each
compressed frame, with those before it in its block. Rows are checked when a store is opened, frames whenever they are
read.

The limits of a configuration, as a store of given spaces has them, and whether they can work at all.
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from worldmodels.core.configuration.ranges import Count, Positive, Section
from worldmodels.core.errors import ConfigError, RunError
from worldmodels.core.files.json_files import read_json
from worldmodels.core.files.writing import make_own_folder, write_atomic
from worldmodels.core.specs import ActionSpec, ArraySpec, ObservationSpec
from worldmodels.core.types import Step
from worldmodels.replay.config import ReplayConfig

FORMAT = 4
FIRST, LAST, TERMINAL, HELD_OUT, KEY_FRAME = 1, 2, 4, 8, 16
LOST = 32
"""The step was damaged and given up: no window is drawn that touches it (see `salvage`)."""
BLOCK = 16
"""A block holds at most so many frames."""

Records = npt.NDArray[np.void]
Frames = npt.NDArray[np.uint8]
"""The bytes of observations, uint8 (..., frame_bytes)."""


@dataclass(frozen=True)
class Layout:
    """The layout says what the bytes of a store mean."""

    num_streams: int
    observation: ObservationSpec
    """All parts of an observation are stored as one row of bytes, a frame."""
    action: ActionSpec
    chunk_steps: int
    """A chunk holds so many steps of each stream."""

    @cached_property
    def frame_bytes(self) -> int:
        """Return the bytes of a frame that is not compressed."""
        return self.observation.bytes

    @cached_property
    def record(self) -> np.dtype[np.void]:
        """Return everything of a step of one stream but its frame.

        `end` is where the compressed frame ends in the file of the chunk; it begins where the one before it ends.
        `checksum` is that of the compressed frames from the last key frame to this one.
        """
        action = ("action", self.action.dtype.newbyteorder("<"), self.action.shape)
        return np.dtype([("reward", "<f4"), action, ("end", "<i8"), ("checksum", "<u4"), ("flags", "u1")])

    @cached_property
    def row(self) -> np.dtype[np.void]:
        """Return what one step of all streams adds to a `.steps` file: the records (N,), and their checksum."""
        return np.dtype([("records", self.record, (self.num_streams,)), ("checksum", "<u4")])

    @property
    def row_bytes(self) -> int:
        return self.row.itemsize

    def row_checksum(self, chunk: int, row: int, records: bytes | memoryview) -> int:
        """Return the checksum of a row's records. Rows of other places or layouts do not pass for it, nor do zeros,
        which a power cut can leave at the end of a file."""
        return zlib.crc32(records, (self._seed_of(chunk) + row) & 0xFFFFFFFF)

    def row_checksums(self, chunk: int, rows: npt.NDArray[np.void]) -> npt.NDArray[np.uint32]:
        """Return what the checksums of the first rows (T,) of a chunk must be, uint32 (T,)."""
        data, size, seed = memoryview(rows["records"].tobytes()), self.row_bytes - 4, self._seed_of(chunk)
        parts = (data[start : start + size] for start in range(0, len(data), size))
        return np.array([zlib.crc32(part, (seed + row) & 0xFFFFFFFF) for row, part in enumerate(parts)], np.uint32)

    def sound_rows(self, chunk: int, rows: npt.NDArray[np.void]) -> npt.NDArray[np.bool_]:
        """Return which of the first rows (T,) of a chunk agree with their checksums, bool (T,)."""
        sound: npt.NDArray[np.bool_] = rows["checksum"] == self.row_checksums(chunk, rows)
        return sound

    def block(self, offset: int) -> range:
        """Return the steps, counted from the first one of their chunk, whose frames are in one block with `offset`."""
        start = offset // BLOCK * BLOCK
        return range(start, min(start + BLOCK, self.chunk_steps))

    def write(self, folder: Path) -> None:
        """Write the header, and make the folder where it is missing."""
        make_own_folder(folder)
        header = self._header | {"checksum": self._checksum}
        write_atomic(folder / "store.json", json.dumps(header, indent=2, allow_nan=False) + "\n")

    @classmethod
    def read(cls, folder: Path) -> Layout:
        """Return the layout of the store in `folder`; raises RunError where there is none, or one of another format."""
        path = folder / "store.json"
        try:
            found = read_json(path, _Format, allow_more=True).format
            if found != FORMAT:
                raise RunError(
                    f"The replay store in '{folder}' has format {found}; this version reads format {FORMAT}."
                )
            header = read_json(path, _Header)
        except FileNotFoundError:
            raise RunError(f"There is no replay store in '{folder}': '{path.name}' is missing.") from None
        try:
            parts = tuple((name, ArraySpec(shape)) for name, shape in zip(header.names, header.shapes, strict=True))
            action = ActionSpec(header.choices, header.low, header.high)
            layout = cls(header.num_streams, ObservationSpec(parts), action, header.chunk_steps)
        except (ConfigError, ValueError) as error:
            raise RunError(f"'{path}' was damaged: {error}") from error
        if header.checksum != layout._checksum:
            raise RunError(f"'{path}' was damaged: it does not agree with its checksum.")
        return layout

    @property
    def _header(self) -> dict[str, Any]:
        """Everything that the bytes of a store depend on."""
        return {
            "format": FORMAT,
            "num_streams": self.num_streams,
            "names": [name for name, _ in self.observation.parts],
            "shapes": [list(part.shape) for _, part in self.observation.parts],
            "choices": self.action.count,
            "low": list(self.action.low),
            "high": list(self.action.high),
            "chunk_steps": self.chunk_steps,
        }

    @cached_property
    def _checksum(self) -> int:
        return zlib.crc32(json.dumps(self._header, allow_nan=False).encode())

    def _seed_of(self, chunk: int) -> int:
        return zlib.crc32(str(chunk).encode(), self._checksum)


@dataclass(frozen=True)
class _Format(Section):
    format: Positive


@dataclass(frozen=True)
class _Header(_Format):
    num_streams: Positive
    names: tuple[str, ...]
    shapes: tuple[tuple[Positive, ...], ...]
    choices: Count
    low: tuple[float, ...]
    high: tuple[float, ...]
    chunk_steps: Positive
    checksum: Count


def to_records(
    layout: Layout, step: Step, held_out: npt.NDArray[np.bool_], is_key: bool, checksums: Sequence[int]
) -> Records:
    """Return `Layout.record` (N,), everything of a step but its frames and where they end.

    Args:
        held_out: whether the episode of each stream is held out (N,).
        is_key: whether the frames of the step are key frames.
        checksums: of the compressed frames (N,).
    """
    records = np.zeros(len(step.reward), layout.record)
    records["reward"], records["action"], records["checksum"] = step.reward, step.action, checksums
    flags = FIRST * step.is_first | LAST * step.is_last | TERMINAL * step.is_terminal | HELD_OUT * held_out
    records["flags"] = flags | KEY_FRAME * is_key
    return records


CHUNKS = 16
"""A full store has so many chunks, and drops a sixteenth at a time."""


def plan_layout(config: ReplayConfig, num_streams: int, observation: ObservationSpec, action: ActionSpec) -> Layout:
    """Return the layout of a new store.

    Raises:
        ConfigError: the capacity is less than a step for each stream.
    """
    capacity = config.capacity_steps // num_streams
    if capacity < 1:
        raise ConfigError(
            f"replay.capacity_steps is {config.capacity_steps}; it must be at least 1 step for each of the "
            f"{num_streams} environments."
        )
    return Layout(int(num_streams), observation, action, -(-capacity // CHUNKS))


def memory_steps(config: ReplayConfig, layout: Layout) -> int:
    """Return how many frames of each stream fit into the memory.

    Raises:
        ConfigError: what the store keeps in memory besides is more.
    """
    capacity = config.capacity_steps // layout.num_streams
    spare = config.memory_megabytes * 10**6 - capacity * layout.row_bytes
    if spare < 0:
        raise ConfigError(
            f"replay.memory_megabytes is {config.memory_megabytes}; a capacity of {config.capacity_steps} steps "
            f"needs at least {-(-capacity * layout.row_bytes // 10**6)} for rewards, actions and flags."
        )
    return min(capacity, spare // (layout.num_streams * layout.frame_bytes))
