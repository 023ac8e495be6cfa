"""Keep the newest frames in memory: a ring that never grows beyond its cap.

The records of the newest steps of all streams, held in memory as a ring.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Literal

import numpy as np
import numpy.typing as npt

from worldmodels.replay.chunks import Chunk
from worldmodels.replay.layout import FIRST, HELD_OUT, LOST, Frames, Layout, Records
from worldmodels.replay.sampling import Indices


class RecentFrames:
    """The ring holds the last `steps` frames of each stream; the step t of a stream stands at t modulo `steps`.

    Attributes:
        span: the steps that every stream holds.
    """

    def __init__(self, layout: Layout, steps: int) -> None:
        # Not zeroed: the system hands out the memory page by page, as frames arrive.
        self._ring: Frames = np.empty((layout.num_streams, steps, layout.frame_bytes), np.uint8)
        self.span = range(0)

    def put(self, step: int, frames: Frames) -> None:
        """Keep the frames (N, bytes) of `step`, which must follow the last one."""
        size = self._ring.shape[1]
        if size:
            self._ring[:, step % size] = frames
            self.span = range(max(self.span.start, step + 1 - size), step + 1)

    def read(self, stream: int, start: int, out: Frames) -> bool:
        """Fill `out` (T, bytes) from step `start` on; False, and nothing done, where not all of it is here."""
        if start not in self.span or start + len(out) > self.span.stop:
            return False
        size = self._ring.shape[1]
        place = start % size
        before = min(len(out), size - place)
        out[:before] = self._ring[stream, place : place + before]
        out[before:] = self._ring[stream, : len(out) - before]
        return True

    def windows(self, streams: Indices, starts: Indices, length: int) -> Frames | None:
        """Return the frames (B, T, bytes) of windows of `length` steps; None where not all of them are here."""
        if not len(starts) or starts.min() < self.span.start or starts.max() + length > self.span.stop:
            return None
        _, size, frame_bytes = self._ring.shape
        places = streams[:, None] * size + (starts[:, None] + np.arange(length)) % size
        frames: Frames = self._ring.reshape(-1, frame_bytes).take(places, axis=0)
        return frames

    def refill(self, span: range, read: Callable[[int, int, Frames], None]) -> None:
        """Forget everything, then take the newest steps of `span` from `read(stream, start, out)`."""
        size = self._ring.shape[1]
        self.span = span[-size:] if size else range(span.stop, span.stop)
        start, stop = self.span.start, self.span.stop
        while start < stop:
            place = start % size
            count = min(stop - start, size - place)
            for stream in range(len(self._ring)):
                read(stream, start, self._ring[stream, place : place + count])
            start += count


Split = Literal["all", "training", "held_out"]


class RecordRing:
    """Everything of a step but its frame, for the newest `rows` steps of each stream.

    Step t stands in row t modulo `rows`.
    """

    def __init__(self, layout: Layout, rows: int) -> None:
        self._rows: Records = np.zeros((rows, layout.num_streams), layout.record)
        self._chunk_steps = layout.chunk_steps

    def put(self, step: int, records: Records) -> None:
        """Keep the records (N,) of one step instead of those of the oldest one."""
        self._rows[step % len(self._rows)] = records

    def load(self, chunks: Mapping[int, Chunk], stop: int) -> None:
        """Read the records of all chunks that the ring can hold, of steps before `stop`."""
        for index, chunk in chunks.items():
            steps = index * self._chunk_steps + np.arange(chunk.length)
            newest = (steps >= stop - len(self._rows)) & (steps < stop)
            self._rows[steps[newest] % len(self._rows)] = chunk.read_records()[newest]

    def at(self, steps: range) -> Records:
        """Return the records (T, N) of consecutive steps."""
        records: Records = self._rows[np.arange(steps.start, steps.stop) % len(self._rows)]
        return records

    def of(self, streams: Indices, starts: Indices, length: int) -> Records:
        """Return the records (B, T) of windows."""
        steps = starts[:, None] + np.arange(length)
        # Indexing with two arrays takes seven times as long.
        places = steps % len(self._rows) * self._rows.shape[1] + streams[:, None]
        records: Records = self._rows.reshape(-1).take(places)
        return records

    def count_episodes(self, steps: range, split: Literal["all", "held_out"]) -> int:
        """Return how many episodes have some of these steps, which the ring holds, summed over the streams."""
        size, wanted = len(self._rows), FIRST if split == "all" else FIRST | HELD_OUT
        if not steps:
            return 0
        # A slice of the ring or two: indices for every step would be copies of millions of records.
        stop = steps.start % size + len(steps)
        parts = slice(steps.start % size, min(stop, size)), slice(0, max(0, stop - size))
        begun = sum(int(((self._rows[part]["flags"] & wanted) == wanted).sum()) for part in parts)
        continuing = self._rows[steps.start % size]["flags"] & wanted
        return begun + int((continuing == wanted - FIRST).sum())


def in_split(flags: npt.NDArray[np.uint8], split: Split) -> npt.NDArray[np.bool_]:
    """Return which windows, of flags (B, T), lie inside the split and hold no lost step, bool (B,)."""
    refused = LOST if split == "all" else LOST | HELD_OUT
    unwanted = flags ^ HELD_OUT if split == "held_out" else flags
    return np.logical_not((unwanted & refused).any(1))
