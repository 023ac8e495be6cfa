"""A chunk is a range of consecutive steps of all streams, in two files (see `layout`).

Compress frames without loss, so that each is on its way to the disk at once and still needs little room.

Consecutive frames of a game have most pixels in common, also where the picture scrolls. So each stream has a Zstandard
compressor that remembers the frames of the block so far (`Layout.block`). It is flushed after every frame, so reading a
frame needs only the bytes up to there. The first frame of a block, its key frame, is compressed alone.
"""

from __future__ import annotations

import os
import re
import zlib
from collections.abc import Iterator, Sequence
from itertools import repeat
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from zstandard import (
    COMPRESSOBJ_FLUSH_BLOCK,
    COMPRESSOBJ_FLUSH_FINISH,
    ZstdCompressionParameters,
    ZstdCompressor,
    ZstdDecompressor,
    ZstdError,
)

from worldmodels.core.errors import RunError, disk_full_reported
from worldmodels.core.files.writing import open_regular
from worldmodels.replay.layout import BLOCK, KEY_FRAME, LOST, Frames, Layout, Records

# Level 3 compresses 5 % better and takes twice the time.
LEVEL = 1


class CompressedStep(NamedTuple):
    """The compressed frames of one step of all streams."""

    frames: list[bytes]
    """One for each stream."""
    checksums: list[int]
    """The CRC-32 of each frame with those before it in its block, so that any part of a block can be checked.
    """
    is_key: bool
    """Whether they are key frames."""


class FrameCompressor:
    """The compressors of all streams; 0.4 MB each for 64x64 RGB."""

    def __init__(self, layout: Layout) -> None:
        # Zstandard has checksums too, but only for blocks that are finished, and of what is larger.
        parameters = ZstdCompressionParameters.from_level(
            LEVEL, source_size=BLOCK * layout.frame_bytes, write_content_size=False, write_checksum=False
        )
        self._layout = layout
        self._compressors = [ZstdCompressor(compression_params=parameters) for _ in range(layout.num_streams)]
        self._blocks: list[Any] = []
        self._checksums = [0] * layout.num_streams
        self._next = -1

    def compress(self, step: int, frames: Frames) -> CompressedStep:
        """Compress the frames (N, bytes) of `step`.

        A key frame begins a block. It also follows a gap: after a failed write, and after steps were forgotten.
        """
        offset = step % self._layout.chunk_steps
        block = self._layout.block(offset)
        is_key = offset == block.start or step != self._next
        if is_key:
            self._blocks = [compressor.compressobj() for compressor in self._compressors]
            self._checksums = [0] * self._layout.num_streams
        self._next = step + 1
        ending = COMPRESSOBJ_FLUSH_FINISH if offset == block[-1] else COMPRESSOBJ_FLUSH_BLOCK
        flat = np.ascontiguousarray(frames).reshape(len(frames), -1)
        data = [each.compress(row.data) + each.flush(ending) for each, row in zip(self._blocks, flat, strict=True)]
        self._checksums = [zlib.crc32(piece, before) for piece, before in zip(data, self._checksums, strict=True)]
        return CompressedStep(data, self._checksums, is_key)


def decompress(data: bytes, checksum: int, out: Frames) -> None:
    """Fill the contiguous `out` (T, bytes) with the first frames of a block, whose compressed bytes are `data`.

    Raises ValueError where `data` was damaged.
    """
    if zlib.crc32(data) != checksum:
        raise ValueError("their checksum differs")
    try:
        count = ZstdDecompressor().stream_reader(data).readinto(out.data)
    except ZstdError as error:
        raise ValueError(str(error)) from error
    if count != out.nbytes:
        raise ValueError(f"there are {count} bytes instead of {out.nbytes}")


SUFFIXES = (".frames", ".steps")
WAYS_ON = (
    "'worldmodels check' on the run's folder says what is whole and from which checkpoint 'train --checkpoint' can go "
    "on; with --leave-out it gives up what is damaged, so that the run continues without it."
)


class Chunk:
    """The open files of one chunk; steps are counted from the chunk's first one. Opening one changes nothing.

    Frames without a row are written over. Steps that were committed are never rewritten, except after `truncate`.

    Args:
        mode: how the files are opened: `os.O_RDONLY`; `os.O_RDWR`; with `os.O_CREAT` for one that is not there yet.

    Attributes:
        length: the steps up to the first row that is torn or does not agree with its checksum.
        problem: which row that is, or None where all are sound.
        is_torn: whether no row after it is sound, so that a process may have been killed while it wrote them.
    """

    def __init__(self, folder: Path, index: int, layout: Layout, mode: int) -> None:
        self._layout, self._index = layout, index
        self._paths = [folder / f"{index:08d}{suffix}" for suffix in SUFFIXES]
        exclusive = os.O_EXCL if mode & os.O_CREAT else 0
        with disk_full_reported(folder):
            self._frames, self._steps = (open_regular(path, mode | exclusive) for path in self._paths)
        rows = np.frombuffer(self._read(range(os.fstat(self._steps).st_size // layout.row_bytes)), layout.row)
        sound = layout.sound_rows(index, rows)
        self.length = int(np.argmin(np.append(sound, False)))
        self.is_torn = not sound[self.length :].any()
        damaged = f"row {self.length} of '{self._paths[1].name}' does not agree with its checksum"
        self.problem = damaged if self.length < len(sound) else None
        self._end = self._end_of(self.length)

    @property
    def size(self) -> int:
        """Return the bytes that the steps take on disk."""
        return self._end + self.length * self._layout.row_bytes

    def holds_more_than(self, length: int) -> bool:
        """Return whether the files hold anything beyond `length` steps, be it half written."""
        sizes = [os.fstat(descriptor).st_size for descriptor in (self._frames, self._steps)]
        return sizes[0] > self._end_of(length) or sizes[1] > length * self._layout.row_bytes

    def append(self, frames: Sequence[bytes], records: Records) -> None:
        """Add a step: its compressed frames, then the records (N,) that make it exist. A full disk adds nothing.

        The records store where the frames end.
        """
        records["end"] = self._end + np.cumsum([len(frame) for frame in frames])
        with disk_full_reported(self._paths[0]):
            _write(self._frames, memoryview(b"".join(frames)), self._end)
        data = records.tobytes()
        checksum = self._layout.row_checksum(self._index, self.length, data)
        try:
            with disk_full_reported(self._paths[1]):
                row = memoryview(data + checksum.to_bytes(4, "little"))
                _write(self._steps, row, self.length * self._layout.row_bytes)
        except BaseException:
            os.ftruncate(self._steps, self.length * self._layout.row_bytes)
            raise
        self.length, self._end = self.length + 1, int(records["end"][-1])

    def read_frames(self, stream: int, start: int, out: Frames) -> None:
        """Fill `out` (T, bytes) with the frames from step `start` on, those of lost steps with zeros.

        Raises RunError where a file was damaged.
        """
        first, stop = self._layout.block(start).start, start + len(out)
        records = self._read_rows(range(first, stop))
        edges = np.append(self._end_of(first), records["end"])
        starts, stops = edges[stream :: self._layout.num_streams][: len(records)], records["end"][:, stream]
        flags, checksums = records["flags"][:, stream], records["checksum"][:, stream]
        for begin, end in _runs(flags, start - first):
            before = max(0, start - first - begin)
            place = out[first + begin + before - start : first + end - start]
            frames = np.empty((end - begin, *out.shape[1:]), np.uint8) if before else place
            data = self._read_pieces(starts[begin:end], stops[begin:end])
            try:
                decompress(data, int(checksums[end - 1]), frames)
            except ValueError as error:
                raise RunError(
                    f"'{self._paths[0]}' was damaged: the frames of stream {stream} from its step {first + begin} on "
                    f"cannot be decoded ({error}). {WAYS_ON}"
                ) from error
            if before:
                place[:] = frames[before:]
        out[(flags[start - first :] & LOST) > 0] = 0

    def read_records(self) -> Records:
        """Return the records (length, N) of all steps in the chunk."""
        return self._read_rows(range(self.length))

    def truncate(self, length: int) -> None:
        """Forget the steps from `length` on; the one before it must be whole."""
        self.length, self._end = length, self._end_of(length)
        os.ftruncate(self._steps, length * self._layout.row_bytes)
        os.ftruncate(self._frames, min(self._end, os.fstat(self._frames).st_size))

    def sync(self) -> None:
        """Wait until the disk has everything, frames first: no row may outlive its frames."""
        for descriptor, path in zip((self._frames, self._steps), self._paths, strict=True):
            with disk_full_reported(path):
                os.fsync(descriptor)

    def close(self) -> None:
        os.close(self._frames)
        os.close(self._steps)

    def delete(self) -> None:
        self.close()
        # The rows first: a kill in between leaves frames without rows, which is a chunk of no steps.
        for path in reversed(self._paths):
            path.unlink(missing_ok=True)

    def _read_pieces(self, starts: npt.NDArray[np.int64], stops: npt.NDArray[np.int64]) -> bytes:
        """Return what stands in the file of frames from each of `starts` to its stop, joined."""
        if stops.max() > os.fstat(self._frames).st_size:
            raise RunError(
                f"'{self._paths[0]}' is shorter than '{self._paths[1].name}' says: it was damaged. {WAYS_ON}"
            )
        return b"".join(map(os.pread, repeat(self._frames), (stops - starts).tolist(), starts.tolist()))

    def _end_of(self, length: int) -> int:
        """Return where the frames of the first `length` steps end in their file."""
        return int(self._read_rows(range(length - 1, length))["end"][-1, -1]) if length else 0

    def _read_rows(self, steps: range) -> Records:
        """Return the records (T, N) of steps."""
        records: Records = np.frombuffer(self._read(steps), self._layout.row)["records"]
        return records

    def _read(self, steps: range) -> bytes:
        row_bytes = self._layout.row_bytes
        data = os.pread(self._steps, len(steps) * row_bytes, steps.start * row_bytes)
        if len(data) != len(steps) * row_bytes:
            raise RunError(f"'{self._paths[1]}' has become shorter since it was opened.")
        return data


class OpenedChunks(NamedTuple):
    """The chunks of a store whose steps follow each other without a gap, and why there are no more."""

    chunks: dict[int, Chunk]
    """Each chunk stands under its index."""
    problem: str | None
    """Why there are no more, if the last chunk is not full."""
    is_torn: bool
    """Whether the files hold nothing after it, so that a process may have been killed there."""


def chunk_files(folder: Path) -> dict[int, list[Path]]:
    """Return the files of each chunk in a store by its index, ascending: usually two."""
    found: dict[int, list[Path]] = {}
    for path in sorted(folder.glob("*")):
        if match := re.fullmatch(r"(\d{8,})\.(frames|steps)", path.name):
            found.setdefault(int(match[1]), []).append(path)
    return dict(sorted(found.items()))


def open_chunks(folder: Path, layout: Layout, mode: int) -> OpenedChunks:
    """Open the chunks of a store up to the first step that is missing or damaged; nothing is changed."""
    files = chunk_files(folder)
    last = max(files, default=-1)
    chunks: dict[int, Chunk] = {}
    for index in range(min(files, default=0), last + 1):
        names = [path.name for path in files.get(index, [])]
        missing = [name for suffix in SUFFIXES if (name := f"{index:08d}{suffix}") not in names]
        if missing:
            begun = index == last and names == [f"{index:08d}{SUFFIXES[0]}"]
            return OpenedChunks(chunks, f"'{missing[0]}' is missing", begun)
        chunk = Chunk(folder, index, layout, mode)
        if chunk.length:
            chunks[index] = chunk
        else:
            chunk.close()
        if chunk.length < layout.chunk_steps:
            ends = f"'{index:08d}.steps' ends after {chunk.length} steps"
            return OpenedChunks(chunks, chunk.problem or ends, index == last and chunk.is_torn)
    return OpenedChunks(chunks, None, True)


def _runs(flags: npt.NDArray[np.uint8], start: int) -> Iterator[tuple[int, int]]:
    """Yield where frames that are decompressed together begin and end, for those that reach beyond `start`."""
    borders = np.flatnonzero(flags & (KEY_FRAME | LOST))
    ends = np.append(borders[1:], len(flags))
    wanted = ((flags[borders] & KEY_FRAME) > 0) & (ends > start)
    return zip(borders[wanted].tolist(), ends[wanted].tolist(), strict=True)


def _write(descriptor: int, data: memoryview, offset: int) -> None:
    """Write all bytes of `data`: on a disk that is about to be full, one call may write a part and report no error."""
    while data:
        written = os.pwrite(descriptor, data, offset)
        data, offset = data[written:], offset + written
