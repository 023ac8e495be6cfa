"""A chunk: a range of consecutive steps of all streams, in two files (see `layout`)."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np

from worldmodels.core.errors import RunError, disk_full_reported
from worldmodels.replay.layout import RECORD, WRITTEN, Frames, Layout, Records


class Chunk:
    """The open files of one chunk; steps are counted from the chunk's first one.

    Opening one for writing cuts off what a killed process left half written. Steps that were committed are never
    rewritten, except after `truncate`.
    """

    def __init__(self, folder: Path, index: int, layout: Layout, writable: bool) -> None:
        self._layout = layout
        self._paths = [folder / f"{index:08d}.frames", folder / f"{index:08d}.steps"]
        mode = os.O_RDWR | os.O_CREAT if writable else os.O_RDONLY
        with disk_full_reported(folder):
            self._frames, self._steps = (os.open(path, mode, 0o644) for path in self._paths)
        self.length = self._whole_rows()
        if writable:
            os.ftruncate(self._steps, self.length * layout.row_bytes)

    def append(self, frames: Frames, records: Records) -> None:
        """Adds a step: frames (N, H, W, C), then the records (N,) that make it exist. A full disk adds nothing."""
        flat = np.ascontiguousarray(frames).reshape(self._layout.num_streams, -1)
        with disk_full_reported(self._paths[0]):
            for stream, row in enumerate(flat):
                _write(self._frames, row.data, self._offset(stream, self.length))
        try:
            with disk_full_reported(self._paths[1]):
                _write(self._steps, memoryview(records.tobytes()), self.length * self._layout.row_bytes)
        except BaseException:
            os.ftruncate(self._steps, self.length * self._layout.row_bytes)
            raise
        self.length += 1

    def read_frames(self, stream: int, start: int, out: Frames) -> None:
        """Fills the contiguous `out` (T, H, W, C) with the frames from step `start` on."""
        if os.preadv(self._frames, [out.data], self._offset(stream, start)) != out.nbytes:
            raise RunError(f"'{self._paths[0]}' is shorter than '{self._paths[1].name}' says: it was damaged.")

    def read_records(self) -> Records:
        """Of all steps in the chunk, (length, N)."""
        return self._read_rows(self.length)

    def truncate(self, length: int) -> None:
        """Forgets the steps from `length` on."""
        os.ftruncate(self._steps, length * self._layout.row_bytes)
        self.length = length

    def sync(self) -> None:
        """Waits until the disk has everything, frames first: no row may outlive its frames."""
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

    def _offset(self, stream: int, step: int) -> int:
        return (stream * self._layout.chunk_steps + step) * self._layout.frame_bytes

    def _whole_rows(self) -> int:
        rows = self._read_rows(os.fstat(self._steps).st_size // self._layout.row_bytes)
        whole = ((rows["flags"] & WRITTEN) > 0).all(axis=1)
        return int(np.argmin(np.append(whole, False)))

    def _read_rows(self, count: int) -> Records:
        data = os.pread(self._steps, count * self._layout.row_bytes, 0)
        return np.frombuffer(data, RECORD).reshape(-1, self._layout.num_streams)


def open_chunks(folder: Path, layout: Layout, writable: bool) -> dict[int, Chunk]:
    """The chunks of a store by index, up to the first step that is missing; a writer removes what comes after it.

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
    """All bytes of `data`: on a disk that is about to be full, one call may write a part and report no error."""
    while data:
        written = os.pwrite(descriptor, data, offset)
        data, offset = data[written:], offset + written
