"""Keep the newest frames in memory: a ring that never grows beyond its cap."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from worldmodels.replay.layout import Frames, Layout
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
