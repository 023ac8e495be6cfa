"""A chunk is a range of consecutive steps of all streams, in two files (see `layout`)."""

from __future__ import annotations

import os
from collections.abc import Sequence
from itertools import pairwise, repeat
from pathlib import Path

import numpy as np

from worldmodels.core.errors import RunError, disk_full_reported
from worldmodels.replay.codec import decompress
from worldmodels.replay.layout import KEY_FRAME, RECORD, WRITTEN, Frames, Layout, Records


class Chunk:
    """The open files of one chunk; steps are counted from the chunk's first one.

    Opening one for writing cuts off a row that a killed process left half written; frames without a row are written
    over. Steps that were committed are never rewritten, except after `truncate`.
    """

    def __init__(self, folder: Path, index: int, layout: Layout, writable: bool) -> None:
        self._layout = layout
        self._paths = [folder / f"{index:08d}.frames", folder / f"{index:08d}.steps"]
        mode = os.O_RDWR | os.O_CREAT if writable else os.O_RDONLY
        with disk_full_reported(folder):
            self._frames, self._steps = (os.open(path, mode, 0o644) for path in self._paths)
        self.length = self._whole_rows()
        self._end = self._end_of(self.length)
        if writable:
            os.ftruncate(self._steps, self.length * layout.row_bytes)

    @property
    def size(self) -> int:
        """Return the bytes that the steps take on disk."""
        return self._end + self.length * self._layout.row_bytes

    def append(self, frames: Sequence[bytes], records: Records) -> None:
        """Add a step: its compressed frames, then the records (N,) that make it exist. A full disk adds nothing.

        The records are told where the frames end.
        """
        records["end"] = self._end + np.cumsum([len(frame) for frame in frames])
        with disk_full_reported(self._paths[0]):
            _write(self._frames, memoryview(b"".join(frames)), self._end)
        try:
            with disk_full_reported(self._paths[1]):
                _write(self._steps, memoryview(records.tobytes()), self.length * self._layout.row_bytes)
        except BaseException:
            os.ftruncate(self._steps, self.length * self._layout.row_bytes)
            raise
        self.length, self._end = self.length + 1, int(records["end"][-1])

    def read_frames(self, stream: int, start: int, out: Frames) -> None:
        """Fill `out` (T, H, W, C) with the frames from step `start` on. Raises RunError where a file was damaged.

        Whole blocks are read, because only their ends tell whether they are what was written.
        """
        first, stop = self._layout.block(start).start, start + len(out)
        steps = range(first, min(self._layout.block(stop - 1).stop, self.length))
        frames = np.empty((len(steps), *out.shape[1:]), np.uint8)
        pieces, keys = self._read_pieces(stream, steps)
        try:
            for key, after in pairwise(keys):
                decompress(b"".join(pieces[key:after]), frames[key:after])
        except ValueError as error:
            raise RunError(
                f"'{self._paths[0]}' was damaged: the frames of stream {stream} from its step {first + key} on cannot "
                f"be decoded ({error})."
            ) from error
        out[:] = frames[start - first : stop - first]

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

    def _read_pieces(self, stream: int, steps: range) -> tuple[list[bytes], list[int]]:
        """Return the compressed frames of `steps`, and which of them are key frames, then their number."""
        rows = self._read_rows(steps)
        edges = np.append(self._end_of(steps.start), rows["end"])
        places = np.arange(len(steps)) * self._layout.num_streams + stream
        starts, stops = edges[places], edges[places + 1]
        keys = np.flatnonzero(rows["flags"][:, stream] & KEY_FRAME)
        if starts.min() < 0 or (starts >= stops).any() or 0 not in keys:
            raise RunError(f"'{self._paths[1]}' does not say where frames begin and end: it was damaged.")
        if stops.max() > os.fstat(self._frames).st_size:
            raise RunError(f"'{self._paths[0]}' is shorter than '{self._paths[1].name}' says: it was damaged.")
        sizes = (stops - starts).tolist()
        return [*map(os.pread, repeat(self._frames), sizes, starts.tolist())], [*keys.tolist(), len(steps)]

    def _end_of(self, length: int) -> int:
        """Return where the frames of the first `length` steps end in their file."""
        return int(self._read_rows(range(length - 1, length))["end"][-1, -1]) if length else 0

    def _whole_rows(self) -> int:
        rows = self._read_rows(range(os.fstat(self._steps).st_size // self._layout.row_bytes))
        whole = ((rows["flags"] & WRITTEN) > 0).all(axis=1)
        return int(np.argmin(np.append(whole, False)))

    def _read_rows(self, steps: range) -> Records:
        row_bytes = self._layout.row_bytes
        data = os.pread(self._steps, len(steps) * row_bytes, steps.start * row_bytes)
        if len(data) != len(steps) * row_bytes:
            raise RunError(f"'{self._paths[1]}' has become shorter since it was opened.")
        return np.frombuffer(data, RECORD).reshape(-1, self._layout.num_streams)


def open_chunks(folder: Path, layout: Layout, writable: bool) -> dict[int, Chunk]:
    """Return the chunks of a store by index, up to the first missing step; a writer removes what comes after it.

    A power cut may leave a chunk short although the next one was begun; all that is after the last checkpoint, so it
    may go. A chunk that is missing altogether was taken away by somebody, and raises RunError.
    """
    chunks: dict[int, Chunk] = {}
    complete = True
    for path in sorted(folder.glob("*.frames")):
        index = int(path.stem)
        if chunks and index - 1 > max(chunks) and complete:
            raise RunError(f"The replay store '{folder}' is damaged: '{index - 1:08d}.frames' is missing.")
        if not writable and not path.with_suffix(".steps").exists():
            continue
        chunk = Chunk(folder, index, layout, writable)
        if complete and chunk.length:
            chunks[index] = chunk
        elif writable:
            chunk.delete()
        else:
            chunk.close()
        complete = complete and chunk.length == layout.chunk_steps
    return chunks


def _write(descriptor: int, data: memoryview, offset: int) -> None:
    """Write all bytes of `data`: on a disk that is about to be full, one call may write a part and report no error."""
    while data:
        written = os.pwrite(descriptor, data, offset)
        data, offset = data[written:], offset + written
